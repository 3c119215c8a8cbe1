#pragma once
// Writes to a descriptor without a reader: a full pipe, a stopped terminal, a socket. Async-signal-safe.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// So many calls in a row may write nothing before a write is given up: a filter of system calls may answer EINTR or
/// EAGAIN for ever.
#define CGR_WRITE_TRIES_MAX 1000

/// Writes all of it, and waits at most `wait_ns` for a reader. SIGPIPE, SIGTTOU and SIGXFSZ do not reach the program.
/// Returns 0 or an errno: EAGAIN if the reader took too long, EPIPE if there is no reader. The descriptor's flags stay
/// as they are. Async-signal-safe.
int cgr_write_bounded(int fd, const char *bytes, size_t size, uint64_t wait_ns);

#pragma GCC visibility pop
