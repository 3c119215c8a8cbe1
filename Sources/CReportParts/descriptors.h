#pragma once
// Descriptors that a program may close or replace behind our back, and writing to them. Async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef struct ck_held_descriptor {
  int fd;
  uint64_t device, inode;
} ck_held_descriptor;

/// Notes what `fd` is now; -1 where it is nothing.
void ck_hold(ck_held_descriptor *held, int fd);
/// Whether it still is.
bool ck_still_ours(const ck_held_descriptor *held);

/// Notes what standard error is now.
void ck_standard_error_prepare(void);
bool ck_may_write_to_stderr(void);
/// Writes to stderr; where nobody reads it any more, the SIGPIPE that this brings is taken back. 0 or an errno.
int ck_write_stderr(const char *bytes, size_t size);

/// Writes all of it, until the time for a crash report is up. 0 or an errno.
int ck_write_all(int fd, const char *bytes, size_t size);

#pragma GCC visibility pop
