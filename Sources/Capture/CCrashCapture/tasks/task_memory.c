// The pieces of memory that a task allocates from, one after the other. Memory that the task has released in them stays
// there, and is included. Reads that cannot fault.

#include "tasks/task_memory.h"

#include "CGround/hash.h"
#include "CGround/memory.h"
#include "tasks/swift_task.h"

#define SLABS_MAX 8
#define SLAB_BYTES_MAX 8192
#define PART_WORDS 128

// swift, stdlib/public/runtime/StackAllocator.h: how each piece begins.
typedef struct slab {
  uint64_t metadata, next;
  uint32_t capacity, used;
} slab;

// It lies 8 bytes off any alignment by 16: a piece may hold a child task, and a search must not find its copy.
typedef struct part {
  _Alignas(TERM_TASK_ALIGNMENT) uint64_t misaligned;
  uint64_t words[PART_WORDS];
} part;

static uint64_t add_bytes(uint64_t hash, uint64_t address, size_t size) {
  part part;
  for (size_t at = 0; at < size; at += sizeof part.words) {
    size_t wanted = size - at < sizeof part.words ? size - at : sizeof part.words;
    size_t count = cgr_memory_read(address + at, part.words, wanted) / sizeof *part.words;
    for (size_t i = 0; i < count; ++i) hash = cgr_hash_add(hash, part.words[i]);
  }
  return hash;
}

uint64_t ck_task_memory_hash(uint64_t object) {
  ck_task_copy copy;
  if (!ck_swift_task_copy(object, &copy)) return 0;
  uint64_t hash = CGR_HASH_EMPTY, address = ck_task_word(copy.bytes, TERM_TASK_FIRST_SLAB);
  slab slab;
  for (int i = 0; i < SLABS_MAX && address != 0; ++i, address = slab.next) {
    if (cgr_memory_read(address, &slab, sizeof slab) != sizeof slab) return 0;
    if (slab.metadata != ck_task_layout_found.slab_metadata) return 0;
    size_t size = slab.capacity < SLAB_BYTES_MAX ? slab.capacity : SLAB_BYTES_MAX;
    hash = cgr_hash_add(add_bytes(hash, address + sizeof slab, size), slab.used);
  }
  return hash;
}
