#pragma once
// The process's own writable memory, piece by piece; malloc's memory comes first.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CGround/procfile.h"
#include "processor/time_limit.h"

#pragma GCC visibility push(hidden)

#define CK_WALK_PIECE (64 * 1024)
#define CK_WALK_ENTRIES 512

/// A walk over all private memory without a file that can be written. Pages that nothing has touched are left out, if
/// the kernel says which these are. What may have to come from a disk is read page by page.
typedef struct ck_memory_walk {
  cgr_lines maps;
  int pagemap;       // -1: not to be read
  bool is_second;    // the heap and the arenas are done
  uint64_t at, end;  // of the mapping
  uint64_t run_end;  // up to here its pages are in memory
  uint64_t entries[CK_WALK_ENTRIES];
  uint64_t entries_start, entries_end;
  uint64_t total;  // bytes handed out
  ck_time_limit *limit;
  uint8_t room[CK_WALK_PIECE + 16];
} ck_memory_walk;

/// Asks for the size of pages. Not for handlers: called at install.
void ck_memory_walk_prepare(void);

/// False if the mappings cannot be read. The walk ends once the time is up. Async-signal-safe.
bool ck_memory_walk_open(ck_memory_walk *walk, ck_time_limit *limit);

/// A copy of the next piece, and where it was; of size 0 at the end. Its place in the copy is 8 bytes off any alignment
/// by 16, so that an object's copy is not taken for an object. What cannot be read is left out. Async-signal-safe.
const uint8_t *ck_memory_walk_next(ck_memory_walk *walk, uint64_t *address, size_t *size);

void ck_memory_walk_close(ck_memory_walk *walk);

#pragma GCC visibility pop
