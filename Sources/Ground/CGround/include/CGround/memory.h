#pragma once
// Memory reads that cannot fault, and small replacements for libc's memory functions.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Copies up to `size` bytes from `address` of this process and returns how many could be read from the start.
/// Async-signal-safe: process_vm_readv on ourselves, or, if that is refused, write() into a pipe. Once
/// cgr_read_only_resident is on, it may leave out pages that are not in memory.
size_t cgr_memory_read(uint64_t address, void *out, size_t size);

/// As cgr_memory_read, for several pieces in one call; returns the bytes read of all pieces in order.
/// Async-signal-safe.
struct iovec;
size_t cgr_memory_read_pieces(const struct iovec *from, size_t count, void *out, size_t size);

/// Copies the text at `address` up to its zero, or what can be read of it; returns its length, at most `size`. Copies
/// less than 64 bytes of what lies behind it: a search of memory for objects takes a copy of an object for one.
/// Async-signal-safe.
size_t cgr_memory_read_text(uint64_t address, char *out, size_t size);

/// As cgr_memory_read, for a word at a multiple of 8 in the caller's own stack or thread-local words, in a program that
/// goes on: the one system call is rt_sigprocmask, which any program makes that has handlers. A filter may kill for
/// others. Async-signal-safe.
bool cgr_word_peek(uint64_t address, uint64_t *word);

/// Finds out which way of reading works here. Called once, at install.
void cgr_memory_prepare(void);

// Loops the compiler must not turn back into calls: a lazily bound memcpy has no place in a handler.

__attribute__((no_builtin("memcpy", "memmove", "memset"))) static inline void cgr_copy(void *to, const void *from,
                                                                                       size_t size) {
  uint8_t *t = to;
  const uint8_t *f = from;
  for (; size >= 8; size -= 8, t += 8, f += 8) __builtin_memcpy_inline(t, f, 8);
  for (; size; --size) *t++ = *f++;
}

__attribute__((no_builtin("memset"))) static inline void cgr_zero(void *to, size_t size) {
  uint8_t *t = to;
  for (; size >= 8; size -= 8, t += 8) __builtin_memset_inline(t, 0, 8);
  for (; size; --size) *t++ = 0;
}

__attribute__((no_builtin("strlen"))) static inline size_t cgr_length(const char *text) {
  size_t n = 0;
  while (text[n]) ++n;
  return n;
}

#pragma GCC visibility pop
