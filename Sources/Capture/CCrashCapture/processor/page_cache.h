#pragma once
// Small reads that are near each other: one call for each 4 KiB, and no call for bytes that a larger copy already has.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CK_CACHED_PAGE 4096
#define CK_CACHED_PAGES 8

/// Zeroed, it is empty. What it has read may be out of date if the memory changes.
typedef struct ck_page_cache {
  // A larger copy of memory that the caller made.
  const uint8_t *copy;
  uint64_t copy_address;
  size_t copy_size;
  struct ck_time_limit *limit;  // once it is over, no memory is read; NULL for none
  struct {
    _Alignas(16) uint64_t number;  // of the page, by one more; 0 for none
    size_t size;                   // how much of it could be read
    // What follows lies 8 bytes off any alignment by 16, so that an object's copy is not taken for an object.
    uint64_t misaligned;
    uint8_t bytes[CK_CACHED_PAGE];
  } pages[CK_CACHED_PAGES];
} ck_page_cache;

/// As cgr_memory_read, but 0 for what it does not have yet once the time is up. Async-signal-safe.
size_t ck_page_cache_read(ck_page_cache *cache, uint64_t address, void *out, size_t size);
/// Empties it, the larger copy included. Async-signal-safe.
void ck_page_cache_forget(ck_page_cache *cache);

#pragma GCC visibility pop
