#pragma once
// The persistent region: header, metrics, attributes and breadcrumb ring at fixed addresses, in memory or in a file.
#include "record/region_format.h"
#include "region_view.h"

#pragma GCC visibility push(hidden)

static inline struct ck_region_header *ck_region_header(void) { return (struct ck_region_header *)(void *)cph_region; }

/// Whether a file lies under the region: cph_region_private.attachment.
enum ck_attachment { CK_NOT_ATTACHED = 0, CK_ATTACHING = 1, CK_ATTACHED = 2, CK_NO_FILE = 3, CK_DETACHED = 4 };

/// Size of the ring in 8-byte words, less one.
extern _Atomic uint64_t ck_ring_word_mask;

/// Bytes of the region in use: what a file holds, rounded up to pages.
size_t ck_region_length(size_t ring_size);
size_t ck_region_ring_size(void);

/// Makes the region usable: sets up its header at the first call, gives a forked child its own memory. False: not now.
/// Async-signal-safe. All functions of this target that touch the region call it themselves.
bool ck_region_ready(void);

/// Writes a header for a region of this process at `base`, in memory that is all zeros except copied tables.
/// Async-signal-safe.
void ck_region_start_header(struct ck_region_header *header, size_t ring_size);

/// Takes time of day and monotonic time together, for the header. Async-signal-safe.
void ck_region_mark_alive(uint64_t now);

/// Names for the next launch to read; each may be NULL. Call before or after attaching, not from a handler.
void ck_region_set_application(const char *name, const char *version, const char *build);

/// Writes down that Swift Testing started this process for the body of an exit test. Call it as
/// ck_region_set_application.
void ck_region_note_exit_test(void);

/// Writes down that a crash is being captured: its signal, and the time that its report's name has. Async-signal-safe.
void ck_region_begin_crash(int signal, uint64_t realtime_ns);

/// Writes down that the calling thread enters a handler of the program, which may end the process by a system call; and
/// that it has returned. Async-signal-safe.
void ck_region_enter_handler(int signal);
void ck_region_leave_handler(void);

/// Writes down what became of the report of that crash. Returns whether one was under way; if not, it does nothing.
/// Async-signal-safe.
bool ck_region_end_crash(ck_ending ending);

/// To be called for SIGBUS with its fault address. If the address lies in the region (its file was truncated, or its
/// disk failed), puts ordinary memory there, with what could still be read, and returns true: return from the
/// handler, and the access is repeated. Async-signal-safe.
bool ck_region_handle_bus(uintptr_t address);

#pragma GCC visibility pop
