#pragma once
// The unwinder's view of memory: a copy of part of the stack, the images' own read-only parts, and the rest word by
// word.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

#define CK_WINDOW_BYTES (64 * 1024)
/// What is copied at first: most stacks are no deeper, and a page costs a fraction of a microsecond.
#define CK_WINDOW_FIRST_BYTES (8 * 1024)

typedef struct ck_stack_window {
  const crp_images *images;
  const crp_image *last_image;
  uint64_t start, end;
  const uint8_t *copy;  // of [start, end), if it was made beforehand; else NULL, and `bytes` follow the reader
  uint8_t bytes[CK_WINDOW_BYTES] __attribute__((aligned(16)));
} ck_stack_window;

/// Starts at `stack_pointer`. Async-signal-safe.
void ck_window_open(ck_stack_window *window, const crp_images *images, uint64_t stack_pointer);

/// Part of a stack copied beforehand: what lies above the copy counts as unreadable, since the thread has gone on.
typedef struct ck_stack_copy {
  uint64_t start, end;
  const uint8_t *bytes;
} ck_stack_copy;
/// Async-signal-safe.
void ck_window_open_copy(ck_stack_window *window, const crp_images *images, const ck_stack_copy *copy);

/// One word; false if it cannot be read. Async-signal-safe.
bool ck_window_read(ck_stack_window *window, uint64_t address, uint64_t *word);

#pragma GCC visibility pop
