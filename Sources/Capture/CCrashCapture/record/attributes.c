// Setting an attribute, under the tables' lock.
#include "attributes.h"
#include "CProcessHooks.h"
#include "CSecrets.h"
#include "record/attribute_table.h"
#include "record/region.h"
#include "CGround/utf8.h"

static struct ck_attribute_slot *own_table(void) {
  return (struct ck_attribute_slot *)(void *)(cph_region + CPH_REGION_ATTRIBUTES_OFFSET);
}

static bool same_key(const struct ck_attribute_entry *a, const struct ck_attribute_entry *b) {
  if (a->key_length != b->key_length) return false;
  for (size_t i = 0; i < CK_ATTRIBUTE_KEY_MAX / 8; i++)
    if (a->key[i] != b->key[i]) return false;
  return true;
}

// Under the lock: puts the entry where its key is, or in the first free slot.
static ck_attribute_result place(struct ck_attribute_entry *entry) {
  struct ck_attribute_slot *free_slot = NULL;
  struct ck_attribute_entry present;
  for (int i = 0; i < CK_ATTRIBUTE_SLOTS; i++) {
    struct ck_attribute_slot *slot = &own_table()[i];
    if (!ck_attribute_entry_read(slot, &present)) {
      if (!free_slot) free_slot = slot;
    } else if (same_key(&present, entry)) {
      ck_attribute_entry_write(slot, entry);
      return CK_ATTRIBUTE_SET;
    }
  }
  if (!entry->is_set) return CK_ATTRIBUTE_SET;
  if (!free_slot) return CK_ATTRIBUTE_FULL;
  ck_attribute_entry_write(free_slot, entry);
  return CK_ATTRIBUTE_SET;
}

ck_attribute_result ck_attribute_set(const char *key, size_t key_length, const char *value, size_t value_length) {
  cph_thread_seen();
  if (key_length == 0) return CK_ATTRIBUTE_NO_KEY;
  struct ck_attribute_entry entry = {.is_set = value != NULL};
  if (value && csec_attribute_is_secret(key, key_length, value, value_length)) {
    value = CSEC_SECRET_MASK;
    value_length = sizeof CSEC_SECRET_MASK - 1;
  }
  entry.key_length = (uint8_t)cgr_utf8_cut(key, key_length, CK_ATTRIBUTE_KEY_MAX);
  cgr_copy(entry.key, key, entry.key_length);
  if (value)
    entry.value_length =
        (uint16_t)csec_copy_without_secrets((char *)entry.value, value, value_length, CK_ATTRIBUTE_VALUE_MAX);
  if (!ck_region_ready() || !cph_region_lock_tables()) return CK_ATTRIBUTE_BUSY;
  ck_attribute_result result = place(&entry);
  cph_region_unlock_tables();
  return result;
}
