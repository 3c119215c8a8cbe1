#pragma once
// An empty file for a later report. It is made while the process may still make files in the folder, because the
// process may give up its user later. `PID-INSTANCE.spare`, empty until a crash; the process holds a lock on it. System
// calls only.

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Makes this process's file, once. A child of vfork makes none. Async-signal-safe.
void ck_spare_make(void);

/// Takes a file that another process made for this one, and closes the descriptor. Whether it could.
bool ck_spare_adopt(int fd, const char *name);

/// The descriptor of the file for the report of a crash, or -1: there is none, it was closed or removed, or another
/// process that inherited it was first. Writes the file's name. Async-signal-safe.
int ck_spare_take(char *name, size_t capacity);

/// Gives up the lock: the file holds all that there will be. Async-signal-safe.
void ck_spare_finish(int fd);

/// Removes this process's file if it is empty. Async-signal-safe.
void ck_spare_remove(void);

/// Removes the empty files of processes that are gone. Async-signal-safe.
void ck_spares_prune(int directory);

#pragma GCC visibility pop
