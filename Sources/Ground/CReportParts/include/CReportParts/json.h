#pragma once
// JSON written piece by piece into a fixed buffer. Complete values are committed: after a fault, the writer returns to
// the last complete value and closes open objects and arrays. So a report is always valid JSON. Every function is
// async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CRP_JSON_BUFFER (64 * 1024)
#define CRP_JSON_DEPTH 24
/// Longest string written; the rest is left out.
#define CRP_JSON_STRING_MAX 4096

typedef struct crp_json {
  char buffer[CRP_JSON_BUFFER];
  size_t size, committed;
  int depth, committed_depth;
  bool comma, committed_comma;
  bool overflow;
  bool is_held;
  char closers[CRP_JSON_DEPTH];
  void (*flush)(void *sink, const char *bytes, size_t size);
  void *sink;
} crp_json;

void crp_json_start(crp_json *json, void (*flush)(void *, const char *, size_t), void *sink);
void crp_json_begin_object(crp_json *json, const char *key);
void crp_json_begin_array(crp_json *json, const char *key);
void crp_json_end(crp_json *json);
/// Invalid UTF-8 becomes U+FFFD, and a sibling key with "Bytes" appended holds all bytes in hex.
void crp_json_string(crp_json *json, const char *key, const char *text, size_t size);
void crp_json_text(crp_json *json, const char *key, const char *text);
/// Beyond 2^53 a string, so that no reader rounds it.
void crp_json_integer(crp_json *json, const char *key, int64_t value);
/// "nan", "inf" and "-inf" as strings.
void crp_json_number(crp_json *json, const char *key, double value);
void crp_json_seconds(crp_json *json, const char *key, uint64_t nanoseconds);
void crp_json_boolean(crp_json *json, const char *key, bool value);
void crp_json_address(crp_json *json, const char *key, uint64_t address);
void crp_json_timestamp(crp_json *json, const char *key, int64_t nanoseconds);
void crp_json_hex(crp_json *json, const char *key, const uint8_t *bytes, size_t size);

/// An element or member that is JSON already. It must be complete and well-formed.
void crp_json_raw(crp_json *json, const char *key, const char *bytes, size_t size);

/// From here on nothing is complete before crp_json_release: a fault drops it all.
void crp_json_hold(crp_json *json);
void crp_json_release(crp_json *json);

/// Drops an unfinished value and closes down to `depth`.
void crp_json_recover(crp_json *json, int depth);
/// Hands out what is left.
void crp_json_flush(crp_json *json);

#pragma GCC visibility pop
