#pragma once
// What breadcrumbs are measured beside, and loops in C around it all, so that no Swift call is in the measured path.
#include <stddef.h>
#include <stdint.h>

typedef void (*peer_body)(long count);

/// Time of day by the vDSO and nothing else: the least that any timestamp costs.
void peer_clock(long count);

/// A ring of fixed slots behind a pthread mutex, with clock_gettime and memcpy: what one writes first.
void peer_mutex_ring(long count);

/// A line made by snprintf, with clock_gettime, in a ring of the thread's own: no lock, formatted text.
void peer_snprintf_ring(long count);

/// CrashKit's own from C.
void peer_crashkit(long count);

/// Nanoseconds for each call when `threads` threads (1 to 8) make `count` calls each, started together: the slowest
/// thread's time over `count`, so with perfect scaling the figure does not depend on `threads`.
double peer_measure(peer_body body, int threads, long count);
