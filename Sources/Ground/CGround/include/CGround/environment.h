#pragma once
// Environment variables. Not for handlers.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// An environment variable, or NULL in a privileged process or if it is empty.
const char *cgr_environment(const char *name);

/// Copies the value of `key` in a variable that is a list of key=value with commas between; the last one counts. False,
/// and `value` stays as it is, if there is none that fits into `capacity` bytes with its zero.
bool cgr_option(const char *variable, const char *key, char *value, size_t capacity);

/// Reads a yes or a no, spelled in one of the ways that SWIFT_BACKTRACE knows. False, and `truth` stays as it is, for
/// any other word.
bool cgr_read_truth(const char *word, bool *truth);

/// Reads a share: `yes` for the default of 1 in 5,000, `no` or `0` for none, or N for 1 in N. Writes N, or 0 for none.
/// False, and `one_in` stays as it is, for any other word and for a number beyond a billion.
bool cgr_read_share(const char *word, uint32_t *one_in);

#pragma GCC visibility pop
