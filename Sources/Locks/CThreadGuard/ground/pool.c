// Numbered items. mmap only.

#include "ground/pool.h"

#include <string.h>

#include "CGround/mapping.h"
#include "CGround/syscalls.h"

void *ctg_pages_map(size_t size) {
  long at = cgr_map_apart(size);
  return cgr_syscall_failed(at) ? NULL : (void *)at;
}

void ctg_pages_unmap(void *pages, size_t size) { cgr_unmap_apart(pages, size); }

uint32_t ctg_pool_take(struct ctg_pool *pool) {
  uint32_t number = pool->first_free;
  if (number) {
    memcpy(&pool->first_free, ctg_pool_at(pool, number), sizeof pool->first_free);
    memset(ctg_pool_at(pool, number), 0, pool->item_size);
    pool->live++;
    pool->given++;
    return number;
  }
  number = pool->used + 1;
  if (number >= pool->limit) return 0;
  char **chunk = &pool->chunks[number / CTG_POOL_CHUNK];
  if (!*chunk && !(*chunk = ctg_pages_map((size_t)CTG_POOL_CHUNK * pool->item_size))) return 0;
  // For who counts the items without the lock: the chunk comes first.
  __atomic_store_n(&pool->used, number, __ATOMIC_RELEASE);
  pool->live++;
  pool->given++;
  return number;
}

void ctg_pool_give_back(struct ctg_pool *pool, uint32_t number) {
  memcpy(ctg_pool_at(pool, number), &pool->first_free, sizeof pool->first_free);
  pool->first_free = number;
  pool->live--;
}

int ctg_list_push(struct ctg_list *list, uint32_t item) {
  if (list->count == list->capacity) {
    size_t capacity = list->capacity ? list->capacity * 2 : 1024;
    uint32_t *items = ctg_pages_map(capacity * sizeof *items);
    if (!items) return 0;
    if (list->items) {
      memcpy(items, list->items, list->count * sizeof *items);
      ctg_pages_unmap(list->items, list->capacity * sizeof *items);
    }
    list->items = items;
    list->capacity = capacity;
  }
  list->items[list->count++] = item;
  return 1;
}
