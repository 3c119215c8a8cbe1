#pragma once
// Tokens that are known by their looks, whatever stands before them. Async-signal-safe.
#include <stdbool.h>
#include <stddef.h>

#pragma GCC visibility push(hidden)

static inline bool ck_is_token_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/// Where a token ends that begins at `*from`, or `*from` if none does. Behind "Bearer " and "Basic " `*from` is moved to
/// the token itself. Async-signal-safe.
size_t ck_token_end(const char *text, size_t size, size_t *from);

#pragma GCC visibility pop
