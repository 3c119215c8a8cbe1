#pragma once
// Finds the variables that the Swift runtime has for debuggers, in a program that contains the runtime. The program
// need not export them.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CReportParts/images.h"
#include "processor/time_limit.h"

#pragma GCC visibility push(hidden)

/// The words, by what they hold; the names are in task_layout.c.
enum {
  CK_WORD_VERSION,
  CK_WORD_TASK_SIZE,
  CK_WORD_TASK_METADATA,
  CK_WORD_SLAB_METADATA,
  CK_WORD_COUNT,
};

/// Looks the names up in the symbol table of the program's file, and gives the address of each. If the table lacks a
/// name, its address is 0. Returns false if the program has no Swift code or no symbol table, or if the time was up.
/// `room` is for pieces of the file: at least 4 KiB. Async-signal-safe.
bool ck_static_runtime_find(const crp_images *images, const char *const names[CK_WORD_COUNT],
                            uint64_t addresses[CK_WORD_COUNT], uint8_t *room, size_t size, ck_time_limit *limit);

#pragma GCC visibility pop
