#pragma once
// The layout of the program's Swift runtime.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGround/memory.h"
#include "CReportParts/images.h"
#include "processor/time_limit.h"
#include "swift_task_layout.h"

#pragma GCC visibility push(hidden)

/// A task's copy. It lies 8 bytes off any alignment by 16, so that a search of memory does not take it for a task.
typedef struct ck_task_copy {
  _Alignas(TERM_TASK_ALIGNMENT) uint64_t misaligned;
  uint8_t bytes[TERM_TASK_BYTES];
} ck_task_copy;

typedef struct ck_task_layout {
  bool is_known;
  const char *why_not;     // a constant, unless it is known
  uint64_t task_metadata;  // the first word of each task
  uint64_t slab_metadata;  // the first word of each piece of memory that tasks allocate from; 0: not said
} ck_task_layout;

/// What ck_task_layout_prepare found.
extern ck_task_layout ck_task_layout_found;

/// Asks the runtime. Not for handlers: called at install.
void ck_task_layout_prepare(void);

/// If the runtime exports nothing, looks into the program's file, and again only if the time was up: it may hold the
/// runtime inside. `room` is for pieces of the file. Async-signal-safe.
void ck_task_layout_search(const crp_images *images, uint8_t *room, size_t size, ck_time_limit *limit);

static inline uint64_t ck_task_word(const uint8_t *task, size_t offset) {
  uint64_t word;
  cgr_copy(&word, task + offset, sizeof word);
  return word;
}

static inline uint32_t ck_task_half(const uint8_t *task, size_t offset) {
  uint32_t half;
  cgr_copy(&half, task + offset, sizeof half);
  return half;
}

/// From 1, in the order in which tasks are made.
static inline uint64_t ck_task_id(const uint8_t *task) {
  return (uint64_t)ck_task_half(task, TERM_TASK_ID_HIGH) << 32 | ck_task_half(task, TERM_TASK_ID_LOW);
}

#pragma GCC visibility pop
