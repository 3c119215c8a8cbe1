#pragma once
// The checksum of all records in the region, which detects a torn record. It is a sum of products, so that the
// multiplications of successive words do not wait for each other. It is not cryptographic. Async-signal-safe.
#include <stddef.h>
#include <stdint.h>

#define CGR_CHECKSUM_STEP 0x9e3779b97f4a7c16ull
#define CGR_CHECKSUM_START 0xd6e8feb86659fd93ull

struct cgr_checksum {
  uint64_t sum;
  uint64_t factor;  // always odd, so that no change of a single word goes unseen
};

static inline struct cgr_checksum cgr_checksum_start(uint64_t salt) {
  return (struct cgr_checksum){.sum = salt, .factor = CGR_CHECKSUM_START};
}

static inline void cgr_checksum_add(struct cgr_checksum *checksum, uint64_t word) {
  checksum->sum += (word ^ checksum->factor >> 17) * checksum->factor;
  checksum->factor += CGR_CHECKSUM_STEP;
}

static inline uint32_t cgr_checksum_end(struct cgr_checksum checksum) {
  uint64_t folded = (checksum.sum ^ checksum.sum >> 32) * CGR_CHECKSUM_START;
  return (uint32_t)(folded >> 32);
}
