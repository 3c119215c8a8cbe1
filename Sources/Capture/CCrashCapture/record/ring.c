// Recording breadcrumbs. Calls clock_gettime by the vDSO. Makes direct system calls only at a thread's first record, at
// a forked child's first record, and as long as the thread has no place for a Swift task. Everything is
// async-signal-safe.
#include "CSecrets.h"
#include "record/current_task.h"
#include "record/ring_format.h"
#include "CProcessHooks.h"
#include "CGround/checksum.h"
#include "CGround/clock.h"
#include "record/region_file.h"
#include "CGround/own_ids.h"
#include "CGround/utf8.h"

// What this thread knows: the process generation that it last saw, and its id there. No generation has the first value.
struct self {
  uint32_t generation;
  uint32_t thread;
};
static _Thread_local struct self self __attribute__((tls_model("initial-exec"))) = {.generation = CPH_REGION_BUSY};

typedef uint64_t __attribute__((aligned(1), may_alias)) unaligned_word;
typedef uint32_t __attribute__((aligned(1), may_alias)) unaligned_half;
typedef uint16_t __attribute__((aligned(1), may_alias)) unaligned_quarter;

struct cursor {
  uint64_t *ring;
  uint64_t mask;
  uint64_t word;
  struct cgr_checksum checksum;
};

static inline void put_word(struct cursor *cursor, uint64_t word) {
  __atomic_store_n(&cursor->ring[cursor->word & cursor->mask], word, __ATOMIC_RELAXED);
  cursor->word++;
  cgr_checksum_add(&cursor->checksum, word);
}

// One to seven bytes as a word, zeros above.
static inline uint64_t short_word(const char *text, size_t length) {
  if (length >= 4) {
    uint64_t low = *(const unaligned_half *)text;
    uint64_t high = *(const unaligned_half *)(text + length - 4);
    return low | high << 8 * (length - 4);
  }
  uint64_t word = (uint8_t)text[0];
  if (length >= 2) word |= (uint64_t) * (const unaligned_quarter *)(text + length - 2) << 8 * (length - 2);
  return word;
}

static inline void put_text(struct cursor *cursor, const char *text, size_t length) {
  size_t i = 0;
  for (; i + 8 <= length; i += 8) put_word(cursor, *(const unaligned_word *)(text + i));
  size_t rest = length - i;
  if (rest == 0) return;
  uint64_t last =
      length >= 8 ? *(const unaligned_word *)(text + length - 8) >> 8 * (8 - rest) : short_word(text, length);
  put_word(cursor, last);
}

// Whether this thread may write into the region now; learns its id. The slow path of a record.
__attribute__((noinline)) static bool enter(void) {
  if (!ck_region_ready()) return false;
  if (atomic_load(&cph_region_private.attachment) == 0) ck_region_attach_child();
  self.thread = (uint32_t)cgr_thread_id();
  self.generation = atomic_load(&cph_region_private.state);
  return true;
}

__attribute__((always_inline)) static inline void write_record(const char *message, size_t message_length,
                                                               const char *category, size_t category_length,
                                                               ck_level level, uint64_t flags,
                                                               const ck_crumb_attributes *attributes) {
  struct ck_region_header *header = ck_region_header();
  uint64_t now = cgr_monotonic_ns();
  uint64_t task = ck_task_number_here();
  size_t attributes_length = attributes ? attributes->length : 0;
  uint64_t lengths = message_length | attributes_length << 16 | category_length << 32 | (uint64_t)level << 40
                     | (uint64_t)(attributes ? attributes->count : 0) << 48 | (flags | (task ? CK_FLAG_TASK : 0)) << 56;
  size_t words =
      ck_header_words(lengths) + ck_words(message_length) + ck_words(category_length) + ck_words(attributes_length);
  uint64_t units = (words + 1) / 2;

  uint64_t reserved = atomic_fetch_add_explicit(&cph_region_private.ring_position, 1ull << CK_POSITION_BITS | units,
                                                memory_order_relaxed);
  uint64_t salt = atomic_load_explicit(&header->salt, memory_order_relaxed);
  uint64_t token = reserved ^ salt;
  uint64_t first = (reserved & CK_POSITION_MASK) * 2;
  struct cursor cursor = {.ring = (uint64_t *)(void *)(cph_region + CPH_REGION_RING_OFFSET),
                          .mask = atomic_load_explicit(&ck_ring_word_mask, memory_order_relaxed),
                          .word = first + CK_HEADER_WORDS,
                          .checksum = cgr_checksum_start(token)};
  // The order of the sums: task and payload as they lie, then word 1, thread id and word 3.
  if (task) put_word(&cursor, task);
  put_text(&cursor, category, category_length);
  put_text(&cursor, message, message_length);
  if (attributes_length) put_text(&cursor, (const char *)attributes->bytes, attributes_length);
  cgr_checksum_add(&cursor.checksum, now);
  cgr_checksum_add(&cursor.checksum, self.thread);
  cgr_checksum_add(&cursor.checksum, lengths);
  uint64_t thread_and_sum = self.thread | (uint64_t)cgr_checksum_end(cursor.checksum) << 32;
  __atomic_store_n(&cursor.ring[(first + 1) & cursor.mask], now, __ATOMIC_RELAXED);
  __atomic_store_n(&cursor.ring[(first + 2) & cursor.mask], thread_and_sum, __ATOMIC_RELAXED);
  __atomic_store_n(&cursor.ring[(first + 3) & cursor.mask], lengths, __ATOMIC_RELAXED);
  __atomic_store_n(&cursor.ring[first & cursor.mask], token, __ATOMIC_RELEASE);

  if (__builtin_expect((reserved >> CK_POSITION_BITS & CK_EPOCH_MASK) == CK_EPOCH_MASK, 0)) {
    uint64_t epochs = atomic_fetch_add(&cph_region_private.ring_epochs, 1) + 1;
    atomic_store(&header->ring_epochs, epochs);
  }
  uint64_t last_alive = atomic_load_explicit(&header->last_alive, memory_order_relaxed);
  if (__builtin_expect((int64_t)(now - last_alive) > 1000000000, 0)) ck_region_mark_alive(now);
}

// A text that is too long ends in "…", so it has to be put together first.
__attribute__((noinline)) static void write_long_record(const char *message, size_t message_length,
                                                        const char *category, size_t category_length, ck_level level,
                                                        const ck_crumb_attributes *attributes) {
  char kept_message[CK_MESSAGE_MAX];
  char kept_category[CK_CATEGORY_MAX];
  size_t most = CK_MESSAGE_MAX;
  // In the smallest rings one breadcrumb must not take more than a quarter.
  if (atomic_load(&ck_ring_word_mask) < CK_RING_MIN_SIZE * 2 / 8) {
    attributes = NULL;
    most = CK_MESSAGE_MAX - (CK_HEADER_WORDS + 1) * 8 - CK_CATEGORY_MAX;
  }
  message_length = cgr_copy_cut(kept_message, message, message_length, most);
  category_length = cgr_copy_cut(kept_category, category, category_length, CK_CATEGORY_MAX);
  write_record(kept_message, message_length, kept_category, category_length, level, CK_FLAG_CUT, attributes);
}

__attribute__((always_inline)) static inline bool record(const char *message, size_t message_length,
                                                         const char *category, size_t category_length, ck_level level,
                                                         const ck_crumb_attributes *attributes) {
  uint32_t generation = atomic_load_explicit(&cph_region_private.state, memory_order_relaxed);
  if (__builtin_expect(self.generation != generation || generation == CPH_REGION_BUSY, 0) && !enter()) return false;
  size_t total = message_length + category_length + (attributes ? attributes->length : 0);
  size_t quarter = atomic_load_explicit(&ck_ring_word_mask, memory_order_relaxed) * 2 - (CK_HEADER_WORDS + 1) * 8 - 24;
  if (__builtin_expect(message_length > CK_MESSAGE_MAX || category_length > CK_CATEGORY_MAX || total > quarter, 0)) {
    write_long_record(message, message_length, category, category_length, level, attributes);
  } else {
    uint64_t flags = attributes && attributes->omitted ? CK_FLAG_CUT : 0;
    write_record(message, message_length, category, category_length, level, flags, attributes);
  }
  return true;
}

__attribute__((noinline)) static bool record_without_secrets(const char *message, size_t message_length,
                                                             const char *category, size_t category_length,
                                                             ck_level level, const ck_crumb_attributes *attributes) {
  char room[CK_MESSAGE_MAX + 1];  // one more than is kept, so that it shows what was cut
  csec_safe_text safe = csec_without_secrets(message, message_length, room, sizeof room);
  return record(safe.bytes, safe.size, category, category_length, level, attributes);
}

bool ck_breadcrumb_record(const char *message, size_t message_length, const char *category, size_t category_length,
                          ck_level level, const ck_crumb_attributes *attributes) {
  cph_thread_seen();
  size_t looked_at = message_length < CSEC_SECRET_TEXT_MAX ? message_length : CSEC_SECRET_TEXT_MAX;
  if (__builtin_expect(csec_may_hold_secret(message, looked_at), 0))
    return record_without_secrets(message, message_length, category, category_length, level, attributes);
  return record(message, message_length, category, category_length, level, attributes);
}
