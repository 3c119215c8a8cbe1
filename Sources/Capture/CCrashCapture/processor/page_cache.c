// Pages by the lowest bits of their numbers. Reads that cannot fault.

#include "processor/page_cache.h"

#include "CGround/memory.h"
#include "processor/time_limit.h"

_Static_assert(offsetof(ck_page_cache, pages[0].bytes) % 16 == 8 && offsetof(ck_page_cache, pages[1].bytes) % 16 == 8,
               "copies are not aligned as objects are");

void ck_page_cache_forget(ck_page_cache *cache) {
  cache->copy_size = 0;
  for (int i = 0; i < CK_CACHED_PAGES; ++i) cache->pages[i].number = 0;
}

// Each read may wait for a disk.
static size_t read_in_time(const ck_page_cache *cache, uint64_t address, void *out, size_t size) {
  if (cache->limit && ck_time_limit_is_over(cache->limit)) return 0;
  return cgr_memory_read(address, out, size);
}

size_t ck_page_cache_read(ck_page_cache *cache, uint64_t address, void *out, size_t size) {
  uint64_t place = address - cache->copy_address;
  if (place < cache->copy_size && size <= cache->copy_size - place) {
    cgr_copy(out, cache->copy + place, size);
    return size;
  }
  uint64_t page = address / CK_CACHED_PAGE, offset = address % CK_CACHED_PAGE;
  if (offset + size > CK_CACHED_PAGE) return read_in_time(cache, address, out, size);
  typeof(&cache->pages[0]) kept = &cache->pages[page % CK_CACHED_PAGES];
  if (kept->number != page + 1) {
    kept->number = page + 1;
    kept->size = read_in_time(cache, page * CK_CACHED_PAGE, kept->bytes, CK_CACHED_PAGE);
  }
  if (offset >= kept->size) return 0;
  size_t there = kept->size - offset < size ? kept->size - offset : size;
  cgr_copy(out, kept->bytes + offset, there);
  return there;
}
