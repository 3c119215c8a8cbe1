#pragma once
// Cutting text at whole UTF-8 characters. Async-signal-safe.
#include <stddef.h>
#include <stdint.h>

#include "CGround/memory.h"

/// For functions that a handler can reach: keeps the compiler from making a loop into a call of libc.
#define CK_NO_LIBC __attribute__((no_builtin("memcpy", "memset", "memmove", "memcmp", "strlen", "bcmp")))

#define CK_ELLIPSIS "\xe2\x80\xa6"

/// The most bytes, up to `bound`, that do not end inside of a UTF-8 character.
static inline size_t ck_utf8_cut(const char *text, size_t length, size_t bound) {
  if (length <= bound) return length;
  size_t end = bound;
  // A character has at most three continuation bytes; more is not UTF-8, and is cut anywhere.
  for (int i = 0; i < 3 && end > 0 && ((uint8_t)text[end] & 0xc0) == 0x80; i++) end--;
  return ((uint8_t)text[end] & 0xc0) == 0x80 ? bound : end;
}

/// Copies what fits into `bound` bytes, with "…" at the end of what was cut. Returns the bytes written.
static inline size_t ck_copy_cut(char *to, const char *from, size_t length, size_t bound) {
  if (length <= bound) {
    ck_copy(to, from, length);
    return length;
  }
  size_t kept = ck_utf8_cut(from, length, bound - (sizeof CK_ELLIPSIS - 1));
  ck_copy(to, from, kept);
  ck_copy(to + kept, CK_ELLIPSIS, sizeof CK_ELLIPSIS - 1);
  return kept + sizeof CK_ELLIPSIS - 1;
}
