// The attributes of one breadcrumb, encoded one after the other: key length (1 byte), value length (2,
// little-endian), key, value. Calls nothing but itself: async-signal-safe.
#include "CSecrets.h"
#include "breadcrumbs.h"
#include "region_view.h"
#include "CGround/utf8.h"

enum { PAIR_HEADER = 3 };

void ck_crumb_attributes_add(ck_crumb_attributes *attributes, const char *key, size_t key_length, const char *value,
                             size_t value_length) {
  char room_for_value[CK_CRUMB_VALUE_MAX + 1];  // one more than is kept, so that it shows what was cut
  if (csec_key_is_secret(key, key_length)) {
    value = CSEC_SECRET_MASK;
    value_length = sizeof CSEC_SECRET_MASK - 1;
  } else {
    csec_safe_text safe = csec_without_secrets(value, value_length, room_for_value, sizeof room_for_value);
    value = safe.bytes;
    value_length = safe.size;
  }
  size_t room = CK_CRUMB_ATTRIBUTE_BYTES - attributes->length;
  size_t most = PAIR_HEADER + (key_length < CK_CRUMB_KEY_MAX ? key_length : CK_CRUMB_KEY_MAX)
                + (value_length < CK_CRUMB_VALUE_MAX ? value_length : CK_CRUMB_VALUE_MAX);
  if (key_length == 0 || most > room || attributes->count == CK_CRUMB_ATTRIBUTES_MAX) {
    if (attributes->omitted < UINT8_MAX) attributes->omitted++;
    return;
  }
  unsigned char *pair = attributes->bytes + attributes->length;
  size_t kept_key = cgr_copy_cut((char *)pair + PAIR_HEADER, key, key_length, CK_CRUMB_KEY_MAX);
  size_t kept_value = cgr_copy_cut((char *)pair + PAIR_HEADER + kept_key, value, value_length, CK_CRUMB_VALUE_MAX);
  pair[0] = (unsigned char)kept_key;
  pair[1] = (unsigned char)kept_value;
  pair[2] = (unsigned char)(kept_value >> 8);
  attributes->length += (uint16_t)(PAIR_HEADER + kept_key + kept_value);
  attributes->count++;
}

bool ck_breadcrumb_attribute(const ck_breadcrumb *breadcrumb, size_t *offset, ck_slice *key, ck_slice *value) {
  if (*offset + PAIR_HEADER > breadcrumb->attributes_length) return false;
  const unsigned char *pair = breadcrumb->attributes + *offset;
  size_t key_length = pair[0], value_length = pair[1] | (size_t)pair[2] << 8;
  if (*offset + PAIR_HEADER + key_length + value_length > breadcrumb->attributes_length) return false;
  *key = (ck_slice){(const char *)pair + PAIR_HEADER, key_length};
  *value = (ck_slice){(const char *)pair + PAIR_HEADER + key_length, value_length};
  *offset += PAIR_HEADER + key_length + value_length;
  return true;
}
