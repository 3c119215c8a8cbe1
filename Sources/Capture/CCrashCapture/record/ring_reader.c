// Reading breadcrumbs, live or from the bytes of a dead process's file. Calls nothing but itself: async-signal-safe.
#include "record/ring_format.h"
#include "CGround/checksum.h"
#include "CGround/utf8.h"

static inline uint64_t load(const ck_ring_reader *reader, uint64_t word) {
  uint64_t index = word & reader->word_mask;
  return index < reader->available_words ? __atomic_load_n(&reader->ring[index], __ATOMIC_RELAXED) : 0;
}

// Copies the record at a position into the reader. Returns its size in units, or 0 when there is no whole one.
CGR_NO_LIBC static uint64_t take(ck_ring_reader *reader, uint64_t position, uint64_t *number) {
  uint64_t first = position * 2;
  if ((first & reader->word_mask) >= reader->available_words) return 0;
  uint64_t token = __atomic_load_n(&reader->ring[first & reader->word_mask], __ATOMIC_ACQUIRE);
  if (((token ^ reader->salt) & CK_POSITION_MASK) != position) return 0;
  uint64_t now = load(reader, first + 1), thread_and_sum = load(reader, first + 2), lengths = load(reader, first + 3);
  size_t words = ck_record_words(lengths);
  if (words > CK_RECORD_WORDS_MAX || words > reader->word_mask) return 0;
  struct cgr_checksum checksum = cgr_checksum_start(token);
  for (size_t i = CK_HEADER_WORDS; i < words; i++) {
    reader->words[i] = load(reader, first + i);
    cgr_checksum_add(&checksum, reader->words[i]);
  }
  cgr_checksum_add(&checksum, now);
  cgr_checksum_add(&checksum, (uint32_t)thread_and_sum);
  cgr_checksum_add(&checksum, lengths);
  if (cgr_checksum_end(checksum) != thread_and_sum >> 32) return 0;
  reader->words[0] = token;
  reader->words[1] = now;
  reader->words[2] = thread_and_sum;
  reader->words[3] = lengths;
  *number = (token ^ reader->salt) >> CK_POSITION_BITS;
  return (words + 1) / 2;
}

// The 24 bits of a number that a token holds, with the epochs before it. Bit 23 says whether the epoch was already
// counted when the header was written.
static uint64_t full_number(uint64_t number, uint64_t epochs) {
  uint64_t parity = number >> CK_EPOCH_BITS & 1, low = number & CK_EPOCH_MASK;
  if ((epochs & 1) != parity) epochs += low > CK_EPOCH_MASK / 2 && epochs > 0 ? (uint64_t)-1 : 1;
  return (epochs << CK_EPOCH_BITS) + low;
}

// In a file the newest record is found by its position: the counter itself is not kept there.
static void find_end(ck_ring_reader *reader, uint64_t epochs) {
  uint64_t units = (reader->word_mask + 1) / 2;
  for (uint64_t unit = 0; unit < units && unit * 2 < reader->available_words; unit++) {
    uint64_t token = __atomic_load_n(&reader->ring[unit * 2], __ATOMIC_RELAXED) ^ reader->salt;
    uint64_t position = token & CK_POSITION_MASK, number = 0;
    if ((position & (units - 1)) != unit || position < reader->end) continue;
    uint64_t size = take(reader, position, &number);
    if (size == 0) continue;
    reader->end = position + size;
    reader->recorded = full_number(number, epochs) + 1;
  }
}

void ck_ring_reader_init(ck_ring_reader *reader, const ck_region_view *view) {
  uint64_t size = view->ring_size, available = 0;
  if (view->available > view->ring_offset) available = view->available - view->ring_offset;
  if (available > size) available = size;
  reader->ring = (const uint64_t *)(const void *)(view->base + view->ring_offset);
  reader->available_words = available / 8;
  reader->word_mask = size / 8 - 1;
  reader->salt = view->salt;
  reader->end = 0;
  reader->recorded = 0;
  reader->shown = 0;
  if (view->is_self) {
    // Relaxed: a record is there once its token is, whatever the counter says.
    uint64_t counter = atomic_load_explicit(&cph_region_private.ring_position, memory_order_relaxed);
    reader->end = counter & CK_POSITION_MASK;
    reader->recorded = full_number(counter >> CK_POSITION_BITS, view->ring_epochs);
  } else {
    find_end(reader, view->ring_epochs);
  }
  uint64_t units = size / 16;
  reader->position = reader->end > units ? reader->end - units : 0;
}

bool ck_ring_next(ck_ring_reader *reader, ck_breadcrumb *breadcrumb) {
  uint64_t number = 0, size = 0;
  while (reader->position < reader->end && (size = take(reader, reader->position, &number)) == 0) reader->position++;
  if (size == 0) return false;
  reader->position += size;
  reader->shown++;
  uint64_t lengths = reader->words[3];
  breadcrumb->time = reader->words[1];
  breadcrumb->thread = (uint32_t)reader->words[2];
  breadcrumb->message_length = (uint16_t)lengths;
  breadcrumb->attributes_length = (uint16_t)(lengths >> 16);
  breadcrumb->category_length = (uint8_t)(lengths >> 32);
  uint8_t level = (uint8_t)(lengths >> 40);
  breadcrumb->level = level <= CK_CRITICAL ? (ck_level)level : CK_CRITICAL;
  breadcrumb->attribute_count = (uint8_t)(lengths >> 48);
  breadcrumb->is_cut = (lengths >> 56 & CK_FLAG_CUT) != 0;
  breadcrumb->task = lengths >> 56 & CK_FLAG_TASK ? reader->words[CK_HEADER_WORDS] : 0;
  const uint64_t *category = reader->words + ck_header_words(lengths);
  const uint64_t *message = category + ck_words(breadcrumb->category_length);
  breadcrumb->category = (const char *)category;
  breadcrumb->message = (const char *)message;
  breadcrumb->attributes = (const unsigned char *)(message + ck_words(breadcrumb->message_length));
  return true;
}

uint64_t ck_ring_omitted(const ck_ring_reader *reader) {
  return reader->recorded > reader->shown ? reader->recorded - reader->shown : 0;
}

void ck_ring_relocate(const ck_region_view *from, uint64_t *to, size_t size) {
  static ck_ring_reader reader;  // one at a time: under the tables' lock
  ck_ring_reader_init(&reader, from);
  uint64_t mask = size / 8 - 1, units = size / 16;
  for (ck_breadcrumb breadcrumb; ck_ring_next(&reader, &breadcrumb);) {
    size_t words = ck_record_words(reader.words[3]);
    uint64_t position = reader.position - (words + 1) / 2;
    if (position + units < reader.end) continue;
    for (size_t i = 0; i < words; i++) to[(position * 2 + i) & mask] = reader.words[i];
  }
}
