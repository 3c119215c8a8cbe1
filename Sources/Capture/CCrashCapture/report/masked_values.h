#pragma once
// The credentials that a report masks in its texts. They are also masked in the captured memory.

#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

/// Remembers the credentials in a text of at most CPH_WORDS_MAX bytes, instead of those before. A user and a password
/// with ':' between count as a whole, and the password once more. Values below 4 bytes are left out, and those behind
/// the 32nd. Async-signal-safe.
void ck_masked_values_find(const char *text, size_t size);

/// Sets the marks of those bytes that are one of the values, or at least 6 bytes from the begin or to the end of one.
/// Async-signal-safe.
void ck_masked_values_mark(const char *bytes, size_t size, bool *marks);

#pragma GCC visibility pop
