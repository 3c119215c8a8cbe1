// The attribute table. Calls nothing but itself: async-signal-safe.
#include "record/attribute_table.h"
#include "CGround/checksum.h"
#include "CGround/utf8.h"

enum { READ_ATTEMPTS = 100 };

CGR_NO_LIBC static uint32_t entry_checksum(const struct ck_attribute_entry *entry) {
  uint64_t lengths = entry->value_length | (uint64_t)entry->key_length << 16 | (uint64_t)entry->is_set << 24;
  struct cgr_checksum checksum = cgr_checksum_start(lengths);
  for (size_t i = 0; i < CK_ATTRIBUTE_KEY_MAX / 8; i++) cgr_checksum_add(&checksum, entry->key[i]);
  for (size_t i = 0; i < CK_ATTRIBUTE_VALUE_MAX / 8; i++) cgr_checksum_add(&checksum, entry->value[i]);
  return cgr_checksum_end(checksum);
}

CGR_NO_LIBC static void copy_entry(struct ck_attribute_entry *to, const struct ck_attribute_entry *from) {
  const uint64_t *source = (const uint64_t *)from;
  uint64_t *target = (uint64_t *)to;
  for (size_t i = 0; i < sizeof *to / 8; i++)
    __atomic_store_n(&target[i], __atomic_load_n(&source[i], __ATOMIC_RELAXED), __ATOMIC_RELAXED);
}

bool ck_attribute_entry_read(const struct ck_attribute_slot *slot, struct ck_attribute_entry *entry) {
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

void ck_attribute_entry_write(struct ck_attribute_slot *slot, struct ck_attribute_entry *entry) {
  entry->checksum = entry_checksum(entry);
  uint64_t turn = atomic_load_explicit(&slot->turn, memory_order_relaxed) + 1;
  // Orders the moved turn of the last write before this one's words: a reader of the old entry then sees that it moved.
  atomic_thread_fence(memory_order_release);
  copy_entry(&slot->entries[turn & 1], entry);
  atomic_store_explicit(&slot->turn, turn, memory_order_release);
}

bool ck_attribute_read(const ck_region_view *view, int index, ck_attribute *attribute) {
  if (index < 0 || index >= CK_ATTRIBUTE_SLOTS) return false;
  size_t offset = CPH_REGION_ATTRIBUTES_OFFSET + sizeof(struct ck_attribute_slot) * (size_t)index;
  if (view->available < offset + sizeof(struct ck_attribute_slot)) return false;
  struct ck_attribute_entry entry;
  if (!ck_attribute_entry_read((const struct ck_attribute_slot *)(const void *)(view->base + offset), &entry))
    return false;
  attribute->key_length = entry.key_length;
  attribute->value_length = entry.value_length;
  cgr_copy(attribute->key, entry.key, entry.key_length);
  cgr_copy(attribute->value, entry.value, entry.value_length);
  return true;
}

void ck_attributes_copy(const ck_region_view *from, unsigned char *to_table) {
  struct ck_attribute_slot *target = (struct ck_attribute_slot *)(void *)to_table;
  const struct ck_attribute_slot *source =
      (const struct ck_attribute_slot *)(const void *)(from->base + CPH_REGION_ATTRIBUTES_OFFSET);
  struct ck_attribute_entry entry;
  for (int i = 0; i < CK_ATTRIBUTE_SLOTS; i++)
    if (ck_attribute_entry_read(&source[i], &entry)) ck_attribute_entry_write(&target[i], &entry);
}
