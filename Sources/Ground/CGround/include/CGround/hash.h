#pragma once
// The hash FNV-1a of 64 bits (http://www.isthe.com/chongo/tech/comp/fnv/), taken over words rather than bytes.

#include <stdint.h>

/// The hash of nothing, to which words are added.
#define CGR_HASH_EMPTY 0xcbf29ce484222325u

/// The hash of what `hash` is of, and of `word` behind it. Async-signal-safe.
static inline uint64_t cgr_hash_add(uint64_t hash, uint64_t word) { return (hash ^ word) * 0x100000001b3u; }
