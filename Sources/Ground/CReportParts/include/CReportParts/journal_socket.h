#pragma once
// The socket of systemd's journal. If it is missing, there is no journal, which is not an error.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Opens the socket and holds it, so that a program that changes its root or forbids itself to open sockets still has
/// it. Called once, at install.
void crp_journal_prepare(void);

/// Sends one record, as it is or, if it is too large for a datagram, in sealed memory. Waits for so long at most if the
/// journal's queue is full. Returns 0 or an errno. Async-signal-safe.
int crp_journal_send(const char *bytes, size_t size, uint64_t wait_ns);

#pragma GCC visibility pop
