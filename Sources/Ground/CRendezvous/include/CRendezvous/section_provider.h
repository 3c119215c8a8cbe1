#pragma once
// The interface by which another part adds its own sections to a crash report. The capture does not depend on that
// part.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Writes JSON into the report being made. Every call is async-signal-safe. Inside an object each value needs a key;
/// inside an array the key is NULL. Strings are escaped, and cut at 4 KiB.
typedef struct crv_json {
  void *context;
  void (*begin_object)(void *context, const char *key);
  void (*begin_array)(void *context, const char *key);
  void (*end)(void *context);
  void (*string)(void *context, const char *key, const char *text, size_t size);
  void (*integer)(void *context, const char *key, int64_t value);
  void (*number)(void *context, const char *key, double value);
  void (*boolean)(void *context, const char *key, bool value);
  void (*address)(void *context, const char *key, uint64_t value);
} crv_json;

/// A provider of sections. Both functions run in a signal handler while the other threads are stopped: they must be
/// async-signal-safe, take no lock, and be quick.
typedef struct crv_section_provider {
  /// Adds members to the report's top level; may be NULL.
  void (*report)(const crv_json *json);
  /// Adds members to one thread's object (such as "heldLocks"); may be NULL.
  void (*thread)(const crv_json *json, int tid);
} crv_section_provider;
