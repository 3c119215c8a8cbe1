#pragma once
// The memory of the persistent region, and the word by which a forked child knows that it is a child.
//
// The region holds data that must remain after the process: breadcrumbs, attributes and metric values. It is static
// memory, so that recording works before anything is installed; installing maps a file over the same addresses. It lies
// in this target because both CCrashCapture (breadcrumbs, attributes) and anyone with metrics write into it.
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

// Offsets from the region's start, the same in memory and in the file.
#define CPH_REGION_HEADER_SIZE 4096u
#define CPH_REGION_METRICS_OFFSET CPH_REGION_HEADER_SIZE
#define CPH_REGION_METRICS_SIZE 24576u
#define CPH_REGION_ATTRIBUTES_OFFSET (CPH_REGION_METRICS_OFFSET + CPH_REGION_METRICS_SIZE)
#define CPH_REGION_ATTRIBUTES_SIZE 81920u
#define CPH_REGION_RING_OFFSET (CPH_REGION_ATTRIBUTES_OFFSET + CPH_REGION_ATTRIBUTES_SIZE)
#define CPH_REGION_RING_CAPACITY (1024u * 1024u)
// A multiple of 64 KiB, the largest page of the supported machines: a mapping over the region touches nothing else.
#define CPH_REGION_CAPACITY (18u * 65536u)

#if defined(__aarch64__)
#define CPH_PAGE_ALIGNMENT 65536
#else
#define CPH_PAGE_ALIGNMENT 4096
#endif

_Static_assert(CPH_REGION_RING_OFFSET + CPH_REGION_RING_CAPACITY <= CPH_REGION_CAPACITY, "the region holds its parts");

extern unsigned char cph_region[CPH_REGION_CAPACITY];

/// What belongs to this process alone. The kernel fills this page with zeros in every forked child (MADV_WIPEONFORK),
/// also where no atfork handler runs; it never reaches a file.
struct cph_region_private {
  /// 0: no thread has entered yet, or this is a fresh fork. CPH_REGION_BUSY: someone is at it. Else the generation.
  _Atomic uint32_t state;
  /// Held while tables change shape (an attribute is set, a metric is registered, a file is mapped).
  _Atomic uint32_t table_lock;
  /// Whether a file lies under the region: CCrashCapture's, who gives the values; 0 is "not yet".
  _Atomic uint32_t attachment;
  /// Where the next breadcrumb goes: see ring.c. A line of its own, since every producer writes it.
  _Alignas(64) _Atomic uint64_t ring_position;
  /// Runs of 2^23 breadcrumbs that were recorded.
  _Atomic uint64_t ring_epochs;
  _Alignas(64) char padding[CPH_PAGE_ALIGNMENT - 128];
};
_Static_assert(sizeof(struct cph_region_private) == CPH_PAGE_ALIGNMENT, "one page");

#define CPH_REGION_BUSY UINT32_MAX

extern struct cph_region_private cph_region_private;

/// Called in a forked child before anything touches the region: must take the parent's memory away from under it.
/// Returns whether it did. Set by CCrashCapture.
typedef bool (*cph_region_renew_hook)(void);
extern _Atomic(cph_region_renew_hook) cph_region_renew;

/// The slow path of cph_region_enter. Async-signal-safe.
bool cph_region_enter_slow(void);

/// To be called before the region is read or written. False: the region cannot be used right now (another thread of a
/// fresh fork is replacing it), so do without. Async-signal-safe.
static inline bool cph_region_enter(void) {
  uint32_t state = atomic_load_explicit(&cph_region_private.state, memory_order_acquire);
  if (__builtin_expect(state != 0 && state != CPH_REGION_BUSY, 1)) return true;
  return cph_region_enter_slow();
}

/// Takes the lock on the tables' shape; gives up after about a second and returns false (a signal handler that
/// interrupted the holder would otherwise wait for ever). Not for crash handlers: readers need no lock.
bool cph_region_lock_tables(void);
void cph_region_unlock_tables(void);

/// Copies the registered metrics to an empty table: for a forked child, whose handles stay valid. Async-signal-safe.
void cph_metrics_copy(unsigned char *to_table);

#pragma GCC visibility pop
