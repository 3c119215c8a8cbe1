// JSON into a fixed buffer. Calls nothing but text.c, harmless.c and the sink.

#include "CReportParts/json.h"

#include "CReportParts/harmless.h"
#include "CGround/memory.h"
#include "CGround/text.h"
#include "CGround/unjumped.h"

void ck_json_start(ck_json *json, void (*flush)(void *, const char *, size_t), void *sink) {
  json->size = json->committed = 0;
  json->depth = json->committed_depth = 0;
  json->comma = json->committed_comma = json->overflow = false;
  json->flush = flush;
  json->sink = sink;
}

static void put(ck_json *json, const char *bytes, size_t size) {
  if (size > CK_JSON_BUFFER - json->size) {
    json->overflow = true;
    return;
  }
  ck_copy(json->buffer + json->size, bytes, size);
  json->size += size;
}

static void put_text(ck_json *json, const char *text) { put(json, text, ck_length(text)); }

void ck_json_flush(ck_json *json) {
  if (json->committed == 0) return;
  // What is written must be noted as written.
  ++ck_guard_held;
  json->flush(json->sink, json->buffer, json->committed);
  size_t rest = json->size - json->committed;
  for (size_t i = 0; i < rest; ++i) json->buffer[i] = json->buffer[json->committed + i];
  json->size = rest;
  json->committed = 0;
  --ck_guard_held;
}

static void roll_back(ck_json *json) {
  json->size = json->committed;
  json->depth = json->committed_depth;
  json->comma = json->committed_comma;
  json->overflow = false;
}

static void commit(ck_json *json) {
  if (json->overflow) return roll_back(json);
  ++ck_guard_held;
  json->committed = json->size;
  json->committed_depth = json->depth;
  json->committed_comma = json->comma;
  --ck_guard_held;
  if (json->size > CK_JSON_BUFFER / 2) ck_json_flush(json);
}

static const char hex_digits[] = "0123456789abcdef";

// "\u" and four digits; two of them beyond the first 65,536 characters.
static void escape(ck_json *json, uint32_t scalar) {
  if (scalar > 0xffff) {
    escape(json, 0xd800 + ((scalar - 0x10000) >> 10));
    scalar = 0xdc00 + ((scalar - 0x10000) & 0x3ff);
  }
  char text[6] = {'\\', 'u'};
  for (int i = 0; i < 4; ++i) text[2 + i] = hex_digits[scalar >> (12 - 4 * i) & 15];
  put(json, text, 6);
}

// Writes the escaped text between quotes; true if every byte was part of well-formed UTF-8. A log may be its reader: what a
// terminal or a CI service would obey is escaped as well.
static bool quoted(ck_json *json, const char *text, size_t size) {
  bool well_formed = true;
  unsigned state = 0;
  put(json, "\"", 1);
  for (size_t i = 0; i < size;) {
    const uint8_t *at = (const uint8_t *)text + i;
    size_t n = ck_utf8_sequence(at, size - i);
    uint32_t scalar = n ? ck_utf8_scalar(at, n) : 0;
    bool opens = ck_opens_command(&state, scalar);
    i += n ? n : 1;
    if (n == 0) {
      well_formed = false;
      put(json, "\xef\xbf\xbd", 3);
    } else if (scalar == '"' || scalar == '\\') {
      char pair[2] = {'\\', (char)scalar};
      put(json, pair, 2);
    } else if (scalar == '\n') {
      put(json, "\\n", 2);
    } else if (scalar == '\t') {
      put(json, "\\t", 2);
    } else if (opens || ck_is_hazard(scalar)) {
      escape(json, scalar);
    } else {
      put(json, (const char *)at, n);
    }
  }
  put(json, "\"", 1);
  return well_formed;
}

static void separate(ck_json *json) {
  if (json->comma) put(json, ",", 1);
  json->comma = true;
}

static void key_of(ck_json *json, const char *key) {
  separate(json);
  if (!key) return;
  quoted(json, key, ck_length(key));
  put(json, ":", 1);
}

static void begin(ck_json *json, const char *key, char opener, char closer) {
  key_of(json, key);
  put(json, &opener, 1);
  if (json->depth < CK_JSON_DEPTH) json->closers[json->depth] = closer;
  ++json->depth;
  json->comma = false;
  commit(json);
}

void ck_json_begin_object(ck_json *json, const char *key) { begin(json, key, '{', '}'); }
void ck_json_begin_array(ck_json *json, const char *key) { begin(json, key, '[', ']'); }

void ck_json_end(ck_json *json) {
  if (json->depth == 0) return;
  --json->depth;
  char closer = json->depth < CK_JSON_DEPTH ? json->closers[json->depth] : '}';
  put(json, &closer, 1);
  json->comma = true;
  commit(json);
}

void ck_json_string(ck_json *json, const char *key, const char *text, size_t size) {
  if (size > CK_JSON_STRING_MAX) {
    size = CK_JSON_STRING_MAX;
    // Not in the middle of a character.
    while (size > 0 && ((uint8_t)text[size] & 0xc0) == 0x80) --size;
  }
  key_of(json, key);
  if (quoted(json, text, size) || !key) return commit(json);
  char name[256];
  ck_text bytes_key = CK_TEXT(name);
  ck_text_string(&bytes_key, key);
  ck_text_string(&bytes_key, "Bytes");
  ck_text_terminated(&bytes_key);
  commit(json);
  ck_json_hex(json, name, (const uint8_t *)text, size);
}

void ck_json_text(ck_json *json, const char *key, const char *text) { ck_json_string(json, key, text, ck_length(text)); }

// A value made of a few characters, with or without quotes.
static void small(ck_json *json, const char *key, ck_text *text, bool quotes) {
  key_of(json, key);
  if (quotes) put(json, "\"", 1);
  put(json, text->bytes, text->size);
  if (quotes) put(json, "\"", 1);
  commit(json);
}

void ck_json_integer(ck_json *json, const char *key, int64_t value) {
  char buffer[24];
  ck_text text = CK_TEXT(buffer);
  ck_text_decimal(&text, value);
  small(json, key, &text, value > (1ll << 53) || value < -(1ll << 53));
}

void ck_json_number(ck_json *json, const char *key, double value) {
  char buffer[40];
  ck_text text = CK_TEXT(buffer);
  ck_text_double(&text, value);
  small(json, key, &text, value != value || value - value != 0);
}

void ck_json_seconds(ck_json *json, const char *key, uint64_t nanoseconds) {
  char buffer[40];
  ck_text text = CK_TEXT(buffer);
  ck_text_seconds(&text, nanoseconds);
  small(json, key, &text, false);
}

void ck_json_boolean(ck_json *json, const char *key, bool value) {
  key_of(json, key);
  put_text(json, value ? "true" : "false");
  commit(json);
}

void ck_json_address(ck_json *json, const char *key, uint64_t address) {
  char buffer[18];
  ck_text text = CK_TEXT(buffer);
  ck_text_address(&text, address);
  small(json, key, &text, true);
}

void ck_json_timestamp(ck_json *json, const char *key, int64_t nanoseconds) {
  char buffer[40];
  ck_text text = CK_TEXT(buffer);
  ck_text_timestamp(&text, nanoseconds);
  small(json, key, &text, true);
}

void ck_json_hex(ck_json *json, const char *key, const uint8_t *bytes, size_t size) {
  key_of(json, key);
  put(json, "\"", 1);
  for (size_t i = 0; i < size; ++i) {
    char pair[2] = {hex_digits[bytes[i] >> 4], hex_digits[bytes[i] & 15]};
    put(json, pair, 2);
  }
  put(json, "\"", 1);
  commit(json);
}

void ck_json_raw(ck_json *json, const char *key, const char *bytes, size_t size) {
  key_of(json, key);
  put(json, bytes, size);
  commit(json);
}

void ck_json_recover(ck_json *json, int depth) {
  roll_back(json);
  while (json->depth > depth) ck_json_end(json);
}
