#pragma once
// Descriptors that a program may close or replace at any time, and writing to them. Async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct cgr_held_descriptor {
  int fd;
  uint64_t device, inode;
} cgr_held_descriptor;

/// Notes what `fd` is now; -1 if it is not open.
void cgr_hold(cgr_held_descriptor *held, int fd);
/// Whether it still is.
bool cgr_still_ours(const cgr_held_descriptor *held);

/// A copy of a descriptor at a number that programs do not count on, or -1. It is not inherited by exec.
int cgr_out_of_the_way(int fd);

/// Notes what standard error is now.
void cgr_standard_error_prepare(void);
bool cgr_may_write_to_stderr(void);
/// How long a message to standard error waits for a reader. The thread that prints it may hold locks of the program.
#define CGR_MESSAGE_WAIT_NS 100000000ull

/// Writes to standard error as cgr_write_bounded does. After one that waited in vain none waits, until one has passed.
/// Returns 0 or an errno: EBADF if standard error may be the program's data. Async-signal-safe.
int cgr_write_stderr(const char *bytes, size_t size, uint64_t wait_ns);

/// Prints a message of `part` ("CrashKit", "ThreadGuard") on standard error. A message that nobody takes in time is
/// dropped and counted; the next one that passes says how many were. Returns 0 or an errno. Async-signal-safe.
int cgr_print(const char *part, const char *bytes, size_t size);

/// Writes all of it to a file, until the time for a crash report is up. Returns 0 or an errno. Async-signal-safe.
int cgr_write_all(int fd, const char *bytes, size_t size);

#pragma GCC visibility pop
