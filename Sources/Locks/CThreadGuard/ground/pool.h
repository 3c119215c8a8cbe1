#pragma once
// Numbered items of one size, made when needed, up to a limit. An item never moves, and its memory stays mapped, so a
// caller may use a number that it kept. Memory comes from mmap. Not synchronised.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CTG_POOL_CHUNK 1024u
#define CTG_POOL_CHUNKS 1024u

struct ctg_pool {
  uint32_t item_size;
  uint32_t limit;  // at most CTG_POOL_CHUNK * CTG_POOL_CHUNKS
  uint32_t used;   // numbers ever given out; 0 is none
  uint32_t first_free;
  uint32_t live;
  uint64_t given;  // ever, those that were given back too
  char *chunks[CTG_POOL_CHUNKS];
};

/// A zeroed item's number, or 0 when there is no room.
uint32_t ctg_pool_take(struct ctg_pool *pool);
void ctg_pool_give_back(struct ctg_pool *pool, uint32_t number);

static inline void *ctg_pool_at(const struct ctg_pool *pool, uint32_t number) {
  return pool->chunks[number / CTG_POOL_CHUNK] + (size_t)(number % CTG_POOL_CHUNK) * pool->item_size;
}

/// A growing list of numbers. False when there is no memory.
struct ctg_list {
  uint32_t *items;
  size_t count, capacity;
};
int ctg_list_push(struct ctg_list *list, uint32_t item);

/// Pages, or NULL.
void *ctg_pages_map(size_t size);
void ctg_pages_unmap(void *pages, size_t size);

#pragma GCC visibility pop
