// The set of things that were already reported: an open table that only grows. Plain memory only.

#include "ground/said_once.h"

#include <stdatomic.h>

#define PLACES 8192u
#define LEVELS 4u

static _Atomic uint64_t said[PLACES];

bool ctg_was_said(uint64_t key, unsigned level) {
  // The level stands in the lowest bits, and a key is never 0.
  key = (key ^ key >> 32) * 0x9e3779b97f4a7c15u;
  uint64_t entry = (key | LEVELS * 2) & ~(uint64_t)(LEVELS - 1);
  uint32_t at = (uint32_t)(entry >> 40) % PLACES;
  for (uint32_t i = 0; i < PLACES / 2; ++i, at = (at + 1) % PLACES) {
    uint64_t found = 0;
    if (atomic_compare_exchange_strong(&said[at], &found, entry | level)) return false;
    while ((found & ~(uint64_t)(LEVELS - 1)) == entry) {
      if ((found & (LEVELS - 1)) >= level) return true;
      if (atomic_compare_exchange_strong(&said[at], &found, entry | level)) return false;
    }
  }
  return true;
}
