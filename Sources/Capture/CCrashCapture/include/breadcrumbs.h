#pragma once
// Breadcrumbs: short records of what the program did. The ring of breadcrumbs remains after the process ends.
//
// Bounds, in bytes; what is longer is cut at a whole UTF-8 character and ends in "…": message 1,024, category 64,
// attribute key 64, attribute value 256, attributes 16 and 1,024 in all (what no longer fits is left out and counted).
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record_types.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

/// The levels of swift-log.
typedef enum ck_level : uint8_t {
  CK_TRACE = 0,
  CK_DEBUG = 1,
  CK_INFO = 2,
  CK_NOTICE = 3,
  CK_WARNING = 4,
  CK_ERROR = 5,
  CK_CRITICAL = 6,
} ck_level;

/// The attributes of one breadcrumb, encoded: made with ck_crumb_attributes_add. Only `length`, `count` and `omitted`
/// need to be 0 at first.
typedef struct ck_crumb_attributes {
  uint16_t length;
  uint8_t count;
  uint8_t omitted;
  unsigned char bytes[CK_CRUMB_ATTRIBUTE_BYTES];
} ck_crumb_attributes;

/// A trace and a span in it, as W3C Trace Context has them.
typedef struct ck_trace {
  uint8_t trace_id[16];
  uint8_t span_id[8];
} ck_trace;

/// Adds `trace.id` and `span.id`. Async-signal-safe.
void ck_crumb_attributes_add_trace(ck_crumb_attributes *attributes, const ck_trace *trace);
/// Adds a pair; the value of a key that looks like a secret becomes "***". Async-signal-safe.
void ck_crumb_attributes_add(ck_crumb_attributes *attributes, const char *key, size_t key_length, const char *value,
                             size_t value_length);

/// Records a breadcrumb with the present time, the calling thread's id and the number of the Swift task that it runs
/// (none before the installation). `attributes` may be NULL; text need not be terminated. From any thread, at any time,
/// before and after the installation, in signal handlers and in forked children. Does not allocate, lock or wait, and
/// leaves errno alone: async-signal-safe. The first record of a forked child whose parent had a file makes the child's
/// own. False: not recorded, since another thread of a child made by a bare fork system call was giving that child its
/// own memory just then.
bool ck_breadcrumb_record(const char *message, size_t message_length, const char *category, size_t category_length,
                          ck_level level, const ck_crumb_attributes *attributes);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
