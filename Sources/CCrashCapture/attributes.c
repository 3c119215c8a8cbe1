// The attribute table. Setting takes the tables' lock; everything else is async-signal-safe and calls nothing but
// itself.
#include "CProcessHooks.h"
#include "CSecrets.h"
#include "attribute_table.h"
#include "checksum.h"
#include "utf8.h"

// Key and value together, so that a reader never sees one key with another's value.
struct entry {
  uint32_t checksum;
  uint16_t value_length;
  uint8_t key_length;
  uint8_t is_set;
  uint64_t key[CK_ATTRIBUTE_KEY_MAX / 8];
  uint64_t value[CK_ATTRIBUTE_VALUE_MAX / 8];
};

// Two entries: the one whose turn it is not gets the new value, then `turn` moves on. A writer that stops half way
// through (the process dies just then) leaves the other whole; a reader starts again if the turn moved meanwhile.
struct slot {
  _Atomic uint64_t turn;  // 0: never used
  struct entry entries[2];
  uint64_t padding[13];
};

_Static_assert(sizeof(struct slot) == 1280, "a slot's size is part of the file's layout");
_Static_assert(sizeof(struct slot) * CK_ATTRIBUTE_SLOTS == CPH_REGION_ATTRIBUTES_SIZE, "the table fills its place");

enum { READ_ATTEMPTS = 100 };

static struct slot *own_table(void) { return (struct slot *)(void *)(cph_region + CPH_REGION_ATTRIBUTES_OFFSET); }

CK_NO_LIBC static uint32_t entry_checksum(const struct entry *entry) {
  uint64_t lengths = entry->value_length | (uint64_t)entry->key_length << 16 | (uint64_t)entry->is_set << 24;
  struct cph_checksum checksum = cph_checksum_start(lengths);
  for (size_t i = 0; i < CK_ATTRIBUTE_KEY_MAX / 8; i++) cph_checksum_add(&checksum, entry->key[i]);
  for (size_t i = 0; i < CK_ATTRIBUTE_VALUE_MAX / 8; i++) cph_checksum_add(&checksum, entry->value[i]);
  return cph_checksum_end(checksum);
}

CK_NO_LIBC static void copy_entry(struct entry *to, const struct entry *from) {
  const uint64_t *source = (const uint64_t *)from;
  uint64_t *target = (uint64_t *)to;
  for (size_t i = 0; i < sizeof *to / 8; i++)
    __atomic_store_n(&target[i], __atomic_load_n(&source[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

// The entry that counts, whole. False: free, or not whole.
static bool read_entry(const struct slot *slot, struct entry *entry) {
  for (int attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
    uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_acquire);
    if (turn == 0) return false;
    copy_entry(entry, &slot->entries[turn & 1]);
    atomic_thread_fence(memory_order_acquire);
    if (atomic_load_explicit(&slot->turn, memory_order_relaxed) != turn) continue;
    return entry->is_set && entry->key_length > 0 && entry->key_length <= CK_ATTRIBUTE_KEY_MAX
      && entry->value_length <= CK_ATTRIBUTE_VALUE_MAX && entry->checksum == entry_checksum(entry);
  }
  return false;
}

static void write_entry(struct slot *slot, struct entry *entry) {
  entry->checksum = entry_checksum(entry);
  uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_relaxed) + 1;
  // Orders the moved turn of the last write before this one's words: a reader of the old entry then sees that it moved.
  atomic_thread_fence(memory_order_release);
  copy_entry(&slot->entries[turn & 1], entry);
  atomic_store_explicit(&slot->turn, turn, memory_order_release);
}

static bool same_key(const struct entry *a, const struct entry *b) {
  if (a->key_length != b->key_length) return false;
  for (size_t i = 0; i < CK_ATTRIBUTE_KEY_MAX / 8; i++)
    if (a->key[i] != b->key[i]) return false;
  return true;
}

// Under the lock: puts the entry where its key is, or in the first free slot.
static ck_attribute_result place(struct entry *entry) {
  struct slot *free_slot = NULL;
  struct entry present;
  for (int i = 0; i < CK_ATTRIBUTE_SLOTS; i++) {
    struct slot *slot = &own_table()[i];
    if (!read_entry(slot, &present)) {
      if (!free_slot) free_slot = slot;
    } else if (same_key(&present, entry)) {
      write_entry(slot, entry);
      return CK_ATTRIBUTE_SET;
    }
  }
  if (!entry->is_set) return CK_ATTRIBUTE_SET;
  if (!free_slot) return CK_ATTRIBUTE_FULL;
  write_entry(free_slot, entry);
  return CK_ATTRIBUTE_SET;
}

ck_attribute_result ck_attribute_set(const char *key, size_t key_length, const char *value, size_t value_length) {
  cph_thread_seen();
  if (key_length == 0) return CK_ATTRIBUTE_NO_KEY;
  struct entry entry = {.is_set = value != NULL};
  char room[CK_ATTRIBUTE_VALUE_MAX + 1];  // one more than is kept, so that it shows what was cut
  if (value && ck_key_is_secret(key, key_length)) {
    value = CK_SECRET_MASK;
    value_length = sizeof CK_SECRET_MASK - 1;
  } else if (value) {
    ck_safe_text safe = ck_without_secrets(value, value_length, room, sizeof room);
    value = safe.bytes;
    value_length = safe.size;
  }
  entry.key_length = (uint8_t)ck_utf8_cut(key, key_length, CK_ATTRIBUTE_KEY_MAX);
  ck_copy(entry.key, key, entry.key_length);
  if (value)
    entry.value_length = (uint16_t)ck_copy_cut((char *)entry.value, value, value_length, CK_ATTRIBUTE_VALUE_MAX);
  if (!ck_region_ready() || !cph_region_lock_tables()) return CK_ATTRIBUTE_BUSY;
  ck_attribute_result result = place(&entry);
  cph_region_unlock_tables();
  return result;
}

bool ck_attribute_read(const ck_region_view *view, int index, ck_attribute *attribute) {
  if (index < 0 || index >= CK_ATTRIBUTE_SLOTS) return false;
  size_t offset = CPH_REGION_ATTRIBUTES_OFFSET + sizeof(struct slot) * (size_t)index;
  if (view->available < offset + sizeof(struct slot)) return false;
  struct entry entry;
  if (!read_entry((const struct slot *)(const void *)(view->base + offset), &entry)) return false;
  attribute->key_length = entry.key_length;
  attribute->value_length = entry.value_length;
  ck_copy(attribute->key, entry.key, entry.key_length);
  ck_copy(attribute->value, entry.value, entry.value_length);
  return true;
}

void ck_attributes_copy(const ck_region_view *from, unsigned char *to_table) {
  struct slot *target = (struct slot *)(void *)to_table;
  const struct slot *source = (const struct slot *)(const void *)(from->base + CPH_REGION_ATTRIBUTES_OFFSET);
  struct entry entry;
  for (int i = 0; i < CK_ATTRIBUTE_SLOTS; i++)
    if (read_entry(&source[i], &entry)) write_entry(&target[i], &entry);
}
