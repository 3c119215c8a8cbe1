// JSON into a fixed buffer. Calls nothing but text.c, harmless.c and the sink.

#include "CReportParts/json.h"

#include "CReportParts/harmless.h"
#include "CGround/memory.h"
#include "CGround/text.h"
#include "CGround/unjumped.h"

void crp_json_start(crp_json *json, void (*flush)(void *, const char *, size_t), void *sink) {
  json->size = json->committed = 0;
  json->depth = json->committed_depth = 0;
  json->comma = json->committed_comma = json->overflow = json->is_held = false;
  json->flush = flush;
  json->sink = sink;
}

static void put(crp_json *json, const char *bytes, size_t size) {
  if (size > CRP_JSON_BUFFER - json->size) {
    json->overflow = true;
    return;
  }
  cgr_copy(json->buffer + json->size, bytes, size);
  json->size += size;
}

static void put_text(crp_json *json, const char *text) { put(json, text, cgr_length(text)); }

void crp_json_flush(crp_json *json) {
  if (json->committed == 0) return;
  // What is written must be noted as written.
  ++cgr_guard_held;
  json->flush(json->sink, json->buffer, json->committed);
  size_t rest = json->size - json->committed;
  for (size_t i = 0; i < rest; ++i) json->buffer[i] = json->buffer[json->committed + i];
  json->size = rest;
  json->committed = 0;
  --cgr_guard_held;
}

static void roll_back(crp_json *json) {
  json->size = json->committed;
  json->depth = json->committed_depth;
  json->comma = json->committed_comma;
  json->overflow = json->is_held = false;
}

static void commit(crp_json *json) {
  if (json->overflow) return roll_back(json);
  if (json->is_held) return;
  ++cgr_guard_held;
  json->committed = json->size;
  json->committed_depth = json->depth;
  json->committed_comma = json->comma;
  --cgr_guard_held;
  if (json->size > CRP_JSON_BUFFER / 2) crp_json_flush(json);
}

static const char hex_digits[] = "0123456789abcdef";

// "\u" and four digits; two of them beyond the first 65,536 characters.
static void escape(crp_json *json, uint32_t scalar) {
  if (scalar > 0xffff) {
    escape(json, 0xd800 + ((scalar - 0x10000) >> 10));
    scalar = 0xdc00 + ((scalar - 0x10000) & 0x3ff);
  }
  char text[6] = {'\\', 'u'};
  for (int i = 0; i < 4; ++i) text[2 + i] = hex_digits[scalar >> (12 - 4 * i) & 15];
  put(json, text, 6);
}

// Writes the escaped text between quotes; true if every byte was part of well-formed UTF-8. A log may be its reader:
// what a terminal or a CI service would obey is escaped as well.
static bool quoted(crp_json *json, const char *text, size_t size) {
  bool well_formed = true;
  unsigned state = 0;
  put(json, "\"", 1);
  for (size_t i = 0; i < size;) {
    const uint8_t *at = (const uint8_t *)text + i;
    size_t n = crp_utf8_sequence(at, size - i);
    uint32_t scalar = n ? crp_utf8_scalar(at, n) : 0;
    bool opens = crp_opens_command(&state, scalar);
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
    } else if (opens || crp_is_hazard(scalar)) {
      escape(json, scalar);
    } else {
      put(json, (const char *)at, n);
    }
  }
  put(json, "\"", 1);
  return well_formed;
}

static void separate(crp_json *json) {
  if (json->comma) put(json, ",", 1);
  json->comma = true;
}

static void key_of(crp_json *json, const char *key) {
  separate(json);
  if (!key) return;
  quoted(json, key, cgr_length(key));
  put(json, ":", 1);
}

static void begin(crp_json *json, const char *key, char opener, char closer) {
  key_of(json, key);
  put(json, &opener, 1);
  if (json->depth < CRP_JSON_DEPTH) json->closers[json->depth] = closer;
  ++json->depth;
  json->comma = false;
  commit(json);
}

void crp_json_begin_object(crp_json *json, const char *key) { begin(json, key, '{', '}'); }
void crp_json_begin_array(crp_json *json, const char *key) { begin(json, key, '[', ']'); }

void crp_json_end(crp_json *json) {
  if (json->depth == 0) return;
  --json->depth;
  char closer = json->depth < CRP_JSON_DEPTH ? json->closers[json->depth] : '}';
  put(json, &closer, 1);
  json->comma = true;
  commit(json);
}

void crp_json_string(crp_json *json, const char *key, const char *text, size_t size) {
  if (size > CRP_JSON_STRING_MAX) {
    size = CRP_JSON_STRING_MAX;
    // Not in the middle of a character.
    while (size > 0 && ((uint8_t)text[size] & 0xc0) == 0x80) --size;
  }
  key_of(json, key);
  if (quoted(json, text, size) || !key) return commit(json);
  char name[256];
  cgr_text bytes_key = CGR_TEXT(name);
  cgr_text_string(&bytes_key, key);
  cgr_text_string(&bytes_key, "Bytes");
  cgr_text_terminated(&bytes_key);
  commit(json);
  crp_json_hex(json, name, (const uint8_t *)text, size);
}

void crp_json_text(crp_json *json, const char *key, const char *text) {
  crp_json_string(json, key, text, cgr_length(text));
}

// A value made of a few characters, with or without quotes.
static void small(crp_json *json, const char *key, cgr_text *text, bool quotes) {
  key_of(json, key);
  if (quotes) put(json, "\"", 1);
  put(json, text->bytes, text->size);
  if (quotes) put(json, "\"", 1);
  commit(json);
}

void crp_json_integer(crp_json *json, const char *key, int64_t value) {
  char buffer[24];
  cgr_text text = CGR_TEXT(buffer);
  cgr_text_decimal(&text, value);
  small(json, key, &text, value > (1ll << 53) || value < -(1ll << 53));
}

void crp_json_number(crp_json *json, const char *key, double value) {
  char buffer[40];
  cgr_text text = CGR_TEXT(buffer);
  cgr_text_double(&text, value);
  small(json, key, &text, value != value || value - value != 0);
}

void crp_json_seconds(crp_json *json, const char *key, uint64_t nanoseconds) {
  char buffer[40];
  cgr_text text = CGR_TEXT(buffer);
  cgr_text_seconds(&text, nanoseconds);
  small(json, key, &text, false);
}

void crp_json_boolean(crp_json *json, const char *key, bool value) {
  key_of(json, key);
  put_text(json, value ? "true" : "false");
  commit(json);
}

void crp_json_address(crp_json *json, const char *key, uint64_t address) {
  char buffer[18];
  cgr_text text = CGR_TEXT(buffer);
  cgr_text_address(&text, address);
  small(json, key, &text, true);
}

void crp_json_timestamp(crp_json *json, const char *key, int64_t nanoseconds) {
  char buffer[40];
  cgr_text text = CGR_TEXT(buffer);
  cgr_text_timestamp(&text, nanoseconds);
  small(json, key, &text, true);
}

void crp_json_hex(crp_json *json, const char *key, const uint8_t *bytes, size_t size) {
  key_of(json, key);
  put(json, "\"", 1);
  for (size_t i = 0; i < size; ++i) {
    char pair[2] = {hex_digits[bytes[i] >> 4], hex_digits[bytes[i] & 15]};
    put(json, pair, 2);
  }
  put(json, "\"", 1);
  commit(json);
}

void crp_json_raw(crp_json *json, const char *key, const char *bytes, size_t size) {
  key_of(json, key);
  put(json, bytes, size);
  commit(json);
}

void crp_json_hold(crp_json *json) { json->is_held = true; }

void crp_json_release(crp_json *json) {
  json->is_held = false;
  commit(json);
}

void crp_json_recover(crp_json *json, int depth) {
  roll_back(json);
  while (json->depth > depth) crp_json_end(json);
}
