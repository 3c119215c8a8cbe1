#pragma once
// The breadcrumb ring's format and its relocation; recording is in breadcrumbs.h, reading in region_view.h.
//
// Positions count units of 16 bytes since the ring began; a record at position p lies at p modulo the ring's size, word
// by word around the end. One 64-bit counter holds both the next position (low 40 bits: 16 TiB of breadcrumbs) and the
// number of breadcrumbs so far (high 24 bits, counted on in epochs of 2^23), so that one atomic addition reserves space
// and numbers the record. A record's token is that counter's value, salted, stored last: it is valid only at its own
// position in its own lap, and the checksum covers it. So a reader never takes a torn, incomplete or overwritten record
// for a complete one.
//
//   word 0  token
//   word 1  time: CLOCK_MONOTONIC, nanoseconds
//   word 2  thread id | checksum << 32
//   word 3  message length | attributes length << 16 | category length << 32 | level << 40 | attribute count << 48
//           | flags << 56
//   word 4  only with CK_FLAG_TASK: the number of the Swift task that recorded it
//   then    category, message, attributes, each padded with zeros to 8 bytes
#include "record/region.h"

#pragma GCC visibility push(hidden)

#define CK_POSITION_BITS 40
#define CK_POSITION_MASK ((1ull << CK_POSITION_BITS) - 1)
#define CK_EPOCH_BITS 23
#define CK_EPOCH_MASK ((1ull << CK_EPOCH_BITS) - 1)
#define CK_HEADER_WORDS 4

enum { CK_FLAG_CUT = 1, CK_FLAG_TASK = 2 };

static inline size_t ck_words(size_t bytes) { return (bytes + 7) / 8; }

/// The words before the text of a record, from its word 3.
static inline size_t ck_header_words(uint64_t lengths) {
  return CK_HEADER_WORDS + ((lengths >> 56 & CK_FLAG_TASK) != 0);
}

/// The size of a record in words, from its word 3; more than CK_RECORD_WORDS_MAX where it makes no sense.
static inline size_t ck_record_words(uint64_t lengths) {
  size_t message = lengths & 0xffff, attributes = lengths >> 16 & 0xffff, category = lengths >> 32 & 0xff;
  if (message > CK_MESSAGE_MAX || attributes > CK_CRUMB_ATTRIBUTE_BYTES || category > CK_CATEGORY_MAX)
    return SIZE_MAX / 16;
  return ck_header_words(lengths) + ck_words(category) + ck_words(message) + ck_words(attributes);
}

/// Copies the records of this process's ring to their places in a ring of another size. Async-signal-safe.
void ck_ring_relocate(const ck_region_view *from, uint64_t *to, size_t size);

#pragma GCC visibility pop
