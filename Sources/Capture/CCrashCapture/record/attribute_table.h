#pragma once
// The attribute table's layout; setting is in include/attributes.h, reading in include/region_view.h.
#include "region_storage.h"
#include "region_view.h"

#pragma GCC visibility push(hidden)

// Key and value together, so that a reader never sees one key with another's value.
struct ck_attribute_entry {
  uint32_t checksum;
  uint16_t value_length;
  uint8_t key_length;
  uint8_t is_set;
  uint64_t key[CK_ATTRIBUTE_KEY_MAX / 8];
  uint64_t value[CK_ATTRIBUTE_VALUE_MAX / 8];
};

// Two entries: the one whose turn it is not gets the new value, then `turn` moves on. A writer that stops half way
// through (the process dies just then) leaves the other whole; a reader starts again if the turn moved meanwhile.
struct ck_attribute_slot {
  _Atomic uint64_t turn;  // 0: never used
  struct ck_attribute_entry entries[2];
  uint64_t padding[13];
};

_Static_assert(sizeof(struct ck_attribute_slot) == 1280, "a slot's size is part of the file's layout");
_Static_assert(sizeof(struct ck_attribute_slot) * CK_ATTRIBUTE_SLOTS == CPH_REGION_ATTRIBUTES_SIZE,
               "the table fills its place");

/// The entry that counts, whole. False: free, or not whole. Async-signal-safe.
bool ck_attribute_entry_read(const struct ck_attribute_slot *slot, struct ck_attribute_entry *entry);

/// Puts an entry into its slot. One thread at a time. Async-signal-safe.
void ck_attribute_entry_write(struct ck_attribute_slot *slot, struct ck_attribute_entry *entry);

/// Copies the attributes of a region to an empty table: for a forked child, which keeps its parent's.
/// Async-signal-safe.
void ck_attributes_copy(const ck_region_view *from, unsigned char *to_table);

#pragma GCC visibility pop
