#pragma once
// JSON written piece by piece into a fixed buffer. What is complete is committed: after a fault the writer goes back to
// the last complete value and closes what is open, so that a report is valid JSON whatever happened on the way.
// Every function is async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CK_JSON_BUFFER (64 * 1024)
#define CK_JSON_DEPTH 24
/// Longest string written; the rest is left out.
#define CK_JSON_STRING_MAX 4096

typedef struct ck_json {
  char buffer[CK_JSON_BUFFER];
  size_t size, committed;
  int depth, committed_depth;
  bool comma, committed_comma;
  bool overflow;
  char closers[CK_JSON_DEPTH];
  void (*flush)(void *sink, const char *bytes, size_t size);
  void *sink;
} ck_json;

void ck_json_start(ck_json *json, void (*flush)(void *, const char *, size_t), void *sink);
void ck_json_begin_object(ck_json *json, const char *key);
void ck_json_begin_array(ck_json *json, const char *key);
void ck_json_end(ck_json *json);
/// Invalid UTF-8 becomes U+FFFD, and a sibling key with "Bytes" appended holds all bytes in hex.
void ck_json_string(ck_json *json, const char *key, const char *text, size_t size);
void ck_json_text(ck_json *json, const char *key, const char *text);
/// Beyond 2^53 a string, so that no reader rounds it.
void ck_json_integer(ck_json *json, const char *key, int64_t value);
/// "nan", "inf" and "-inf" as strings.
void ck_json_number(ck_json *json, const char *key, double value);
void ck_json_seconds(ck_json *json, const char *key, uint64_t nanoseconds);
void ck_json_boolean(ck_json *json, const char *key, bool value);
void ck_json_address(ck_json *json, const char *key, uint64_t address);
void ck_json_timestamp(ck_json *json, const char *key, int64_t nanoseconds);
void ck_json_hex(ck_json *json, const char *key, const uint8_t *bytes, size_t size);

/// An element or member that is JSON already. It must be complete and well-formed.
void ck_json_raw(ck_json *json, const char *key, const char *bytes, size_t size);

/// Drops an unfinished value and closes down to `depth`.
void ck_json_recover(ck_json *json, int depth);
/// Hands out what is left.
void ck_json_flush(ck_json *json);

#pragma GCC visibility pop
