// Calls clock_gettime and makes direct system calls. Registering takes the tables' lock; the rest takes none.
#include "metric_slots.h"
#include "CGround/checksum.h"
#include "CGround/clock.h"
#include "process_threads.h"
#include "region_storage.h"
#include <string.h>

// For functions that a handler can reach: keeps the compiler from making a loop into a call of libc.
#define NO_LIBC __attribute__((no_builtin("memcpy", "memset", "memmove")))

enum { VALUE_WORDS = 5, VALUE_COPIES = 4 };

// A value is written to the copy whose turn it is, its number last. So a writer that stops half way through (the
// process dies just then) leaves the previous copies whole, and no writer waits for another.
struct value {
  _Atomic uint64_t number;              // 1 for the first update; stored last
  _Atomic uint64_t words[VALUE_WORDS];  // value, threshold, time, state and flags, checksum
};

struct slot {
  _Atomic uint64_t registered;  // checksum of name and unit, with bit 32 set; 0 when free
  _Atomic uint64_t updates;
  uint8_t name_length;
  uint8_t unit_length;
  uint8_t reserved[6];
  char name[CPH_METRIC_NAME_SIZE];
  char unit[CPH_METRIC_UNIT_SIZE];
  uint8_t padding[72];
  struct value copies[VALUE_COPIES];
};

_Static_assert(sizeof(struct slot) == 384, "a slot's size is part of the file's layout");
_Static_assert(sizeof(struct slot) * CPH_METRIC_SLOTS == CPH_REGION_METRICS_SIZE, "the table fills its place");

static struct slot *table(void) { return (struct slot *)(void *)(cph_region + CPH_REGION_METRICS_OFFSET); }

NO_LIBC static uint64_t name_checksum(const struct slot *slot) {
  struct cgr_checksum checksum = cgr_checksum_start(slot->name_length | (uint64_t)slot->unit_length << 8);
  for (int i = 0; i < CPH_METRIC_NAME_SIZE; i++) cgr_checksum_add(&checksum, (uint8_t)slot->name[i]);
  for (int i = 0; i < CPH_METRIC_UNIT_SIZE; i++) cgr_checksum_add(&checksum, (uint8_t)slot->unit[i]);
  return cgr_checksum_end(checksum) | 1ull << 32;
}

static uint64_t value_checksum(uint64_t number, const uint64_t *words) {
  struct cgr_checksum checksum = cgr_checksum_start(number);
  for (int i = 0; i < VALUE_WORDS - 1; i++) cgr_checksum_add(&checksum, words[i]);
  return cgr_checksum_end(checksum);
}

// Cuts at a whole UTF-8 character.
static size_t bounded(const char *text, size_t length, size_t bound) {
  if (length <= bound) return length;
  size_t end = bound;
  while (end > bound - 4 && ((uint8_t)text[end] & 0xc0) == 0x80) end--;
  return end;
}

static int find(const char *name, size_t length) {
  for (int i = 0; i < CPH_METRIC_SLOTS; i++) {
    struct slot *slot = &table()[i];
    if (atomic_load_explicit(&slot->registered, memory_order_acquire) && slot->name_length == length
        && memcmp(slot->name, name, length) == 0)
      return i;
  }
  return -1;
}

int cph_metric_register(const char *name, size_t name_length, const char *unit, size_t unit_length) {
  name_length = bounded(name, name_length, CPH_METRIC_NAME_SIZE);
  unit_length = bounded(unit, unit_length, CPH_METRIC_UNIT_SIZE);
  if (name_length == 0 || !cph_region_enter() || !cph_region_lock_tables()) return -1;
  int found = find(name, name_length);
  for (int i = 0; found < 0 && i < CPH_METRIC_SLOTS; i++) {
    struct slot *slot = &table()[i];
    if (atomic_load_explicit(&slot->registered, memory_order_relaxed)) continue;
    // All but the word that readers look at meanwhile, which is 0.
    memset(&slot->updates, 0, sizeof *slot - offsetof(struct slot, updates));
    memcpy(slot->name, name, name_length);
    memcpy(slot->unit, unit, unit_length);
    slot->name_length = (uint8_t)name_length;
    slot->unit_length = (uint8_t)unit_length;
    atomic_store_explicit(&slot->registered, name_checksum(slot), memory_order_release);
    found = i;
  }
  cph_region_unlock_tables();
  return found;
}

static uint64_t bits(double number) {
  union {
    double number;
    uint64_t bits;
  } both = {.number = number};
  return both.bits;
}

static double number(uint64_t bits) {
  union {
    uint64_t bits;
    double number;
  } both = {.bits = bits};
  return both.number;
}

void cph_metric_update(int index, double value, cph_metric_state state, bool has_threshold, double threshold) {
  cph_thread_seen();
  if (index < 0 || index >= CPH_METRIC_SLOTS || !cph_region_enter()) return;
  struct slot *slot = &table()[index];
  if (!atomic_load_explicit(&slot->registered, memory_order_acquire)) return;
  uint64_t words[VALUE_WORDS] = {bits(value), has_threshold ? bits(threshold) : 0, cgr_monotonic_ns(),
                                 (uint64_t)state | (uint64_t)has_threshold << 8, 0};
  uint64_t turn = atomic_fetch_add_explicit(&slot->updates, 1, memory_order_relaxed) + 1;
  words[VALUE_WORDS - 1] = value_checksum(turn, words);
  struct value *copy = &slot->copies[turn % VALUE_COPIES];
  for (int i = 0; i < VALUE_WORDS; i++) atomic_store_explicit(&copy->words[i], words[i], memory_order_relaxed);
  atomic_store_explicit(&copy->number, turn, memory_order_release);
}

static bool read_newest_value(const struct slot *slot, cph_metric *metric) {
  uint64_t newest = 0;
  for (int c = 0; c < VALUE_COPIES; c++) {
    const struct value *copy = &slot->copies[c];
    uint64_t words[VALUE_WORDS];
    uint64_t turn = atomic_load_explicit(&copy->number, memory_order_acquire);
    for (int i = 0; i < VALUE_WORDS; i++) words[i] = atomic_load_explicit(&copy->words[i], memory_order_relaxed);
    if (turn <= newest || words[VALUE_WORDS - 1] != value_checksum(turn, words)) continue;
    newest = turn;
    metric->value = number(words[0]);
    metric->threshold = number(words[1]);
    metric->updated_at = words[2];
    uint8_t state = (uint8_t)words[3];
    metric->state = state <= CPH_METRIC_CRITICAL ? (cph_metric_state)state : CPH_METRIC_UNKNOWN;
    metric->has_threshold = words[3] >> 8 & 1;
  }
  return newest != 0;
}

NO_LIBC bool cph_metric_read_table(const void *base, size_t available, int index, cph_metric *metric) {
  if (index < 0 || index >= CPH_METRIC_SLOTS || available < sizeof(struct slot) * ((size_t)index + 1)) return false;
  const struct slot *slot = (const struct slot *)base + index;
  uint64_t registered = atomic_load_explicit(&slot->registered, memory_order_acquire);
  if (registered == 0 || registered != name_checksum(slot)) return false;
  if (slot->name_length > CPH_METRIC_NAME_SIZE || slot->unit_length > CPH_METRIC_UNIT_SIZE) return false;
  metric->name_length = slot->name_length;
  metric->unit_length = slot->unit_length;
  for (int i = 0; i < CPH_METRIC_NAME_SIZE; i++) metric->name[i] = slot->name[i];
  for (int i = 0; i < CPH_METRIC_UNIT_SIZE; i++) metric->unit[i] = slot->unit[i];
  metric->value = 0;
  metric->threshold = 0;
  metric->updated_at = 0;
  metric->state = CPH_METRIC_UNKNOWN;
  metric->has_threshold = false;
  metric->has_value = read_newest_value(slot, metric);
  return true;
}

bool cph_metric_read(int index, cph_metric *metric) {
  if (!cph_region_enter()) return false;
  return cph_metric_read_table(table(), CPH_REGION_METRICS_SIZE, index, metric);
}

NO_LIBC void cph_metrics_copy(unsigned char *to_table) {
  for (int i = 0; i < CPH_METRIC_SLOTS; i++) {
    const struct slot *slot = &table()[i];
    if (!atomic_load_explicit(&slot->registered, memory_order_acquire)) continue;
    uint64_t *to = (uint64_t *)(void *)to_table + sizeof *slot / 8 * (size_t)i;
    const uint64_t *from = (const uint64_t *)(const void *)slot;
    for (size_t word = 0; word < sizeof *slot / 8; word++)
      __atomic_store_n(&to[word], __atomic_load_n(&from[word], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
  }
}
