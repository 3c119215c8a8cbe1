// The attributes of one breadcrumb, encoded one after the other: key length (1 byte), value length (2,
// little-endian), key, value. Calls CSecrets and CGround only: async-signal-safe.
#include "CSecrets.h"
#include "breadcrumbs.h"
#include "region_view.h"
#include "CGround/memory.h"
#include "CGround/text.h"
#include "CGround/utf8.h"

enum { PAIR_HEADER = 3 };

static void add_as_it_is(ck_crumb_attributes *attributes, const char *key, size_t key_length, const char *value,
                         size_t value_length) {
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

void ck_crumb_attributes_add(ck_crumb_attributes *attributes, const char *key, size_t key_length, const char *value,
                             size_t value_length) {
  if (csec_attribute_is_secret(key, key_length, value, value_length)) {
    add_as_it_is(attributes, key, key_length, CSEC_SECRET_MASK, sizeof CSEC_SECRET_MASK - 1);
    return;
  }
  char room[CK_CRUMB_VALUE_MAX + 1];  // one more than is kept, so that it shows what was cut
  csec_safe_text safe = csec_without_secrets(value, value_length, room, sizeof room);
  add_as_it_is(attributes, key, key_length, safe.bytes, safe.size);
}

static void add_id(ck_crumb_attributes *attributes, const char *key, const uint8_t *id, size_t size) {
  char digits[2 * sizeof(ck_trace)];
  cgr_text text = CGR_TEXT(digits);
  cgr_text_hex_bytes(&text, id, size);
  add_as_it_is(attributes, key, cgr_length(key), text.bytes, text.size);
}

void ck_crumb_attributes_add_trace(ck_crumb_attributes *attributes, const ck_trace *trace) {
  add_id(attributes, "trace.id", trace->trace_id, sizeof trace->trace_id);
  add_id(attributes, "span.id", trace->span_id, sizeof trace->span_id);
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
