#pragma once
// The region's file: made, allocated, locked and mapped over the region.
#include "record/region.h"

#pragma GCC visibility push(hidden)

/// Maps a new file in the directory over the region, with all that was recorded so far, and a ring of `ring_size`
/// bytes (a power of two from 4 KiB to 1 MiB). The file is `PID-INSTANCE.ring`, mode 0600, fully allocated; no
/// descriptor stays open. A kernel lock (flock, exclusive) lies on it for as long as the mapping lives: whoever gets
/// that lock knows that the owner is gone. `path`, absolute, names the same directory for forked children, each of
/// which makes a file of its own at its first breadcrumb; NULL: theirs stay in memory. Returns 0 or -errno; after a
/// failure the region goes on in memory. Once for a process, not from a handler.
int ck_region_attach(int directory, const char *path, size_t ring_size);

/// Changes the ring's size without a file. Returns 0 or -errno.
int ck_region_resize(size_t ring_size);

/// The file's name in its directory, or NULL when the region is in memory. Async-signal-safe.
const char *ck_region_file_name(void);

/// Makes a forked child's file. Async-signal-safe; called by the ring.
void ck_region_attach_child(void);

/// To be called before the process ends itself: by exit, which runs functions first, or `at_once` by _exit. With status
/// 0, within exit or in a forked child the file goes; else the status is noted in it. Async-signal-safe.
void ck_region_note_exit(int status, bool at_once);

/// Removes this process's file if it is still the one: for a clean exit, after which there is nothing to
/// tell. Async-signal-safe.
void ck_region_remove_file(void);

#pragma GCC visibility pop
