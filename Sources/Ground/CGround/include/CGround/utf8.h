#pragma once
// Cutting text at whole UTF-8 characters. Async-signal-safe.
#include <stddef.h>
#include <stdint.h>

#include "CGround/memory.h"

/// For functions that a handler can reach: keeps the compiler from making a loop into a call of libc.
#define CGR_NO_LIBC __attribute__((no_builtin("memcpy", "memset", "memmove", "memcmp", "strlen", "bcmp")))

#define CGR_ELLIPSIS "\xe2\x80\xa6"

/// The most bytes, up to `bound`, that do not end inside of a UTF-8 character.
static inline size_t cgr_utf8_cut(const char *text, size_t length, size_t bound) {
  if (length <= bound) return length;
  size_t end = bound;
  // A character has at most three continuation bytes; more is not UTF-8, and is cut anywhere.
  for (int i = 0; i < 3 && end > 0 && ((uint8_t)text[end] & 0xc0) == 0x80; i++) end--;
  return ((uint8_t)text[end] & 0xc0) == 0x80 ? bound : end;
}

/// Copies what fits into `bound` bytes, with "…" at the end of what was cut. Returns the bytes written.
static inline size_t cgr_copy_cut(char *to, const char *from, size_t length, size_t bound) {
  if (length <= bound) {
    cgr_copy(to, from, length);
    return length;
  }
  size_t kept = cgr_utf8_cut(from, length, bound - (sizeof CGR_ELLIPSIS - 1));
  cgr_copy(to, from, kept);
  cgr_copy(to + kept, CGR_ELLIPSIS, sizeof CGR_ELLIPSIS - 1);
  return kept + sizeof CGR_ELLIPSIS - 1;
}
