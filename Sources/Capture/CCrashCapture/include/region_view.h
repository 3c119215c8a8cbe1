#pragma once
// Reads a region: this process's own in a crash handler, or a dead process's from the bytes of its file.
//
// All functions here are async-signal-safe and take bounded time. The bytes of a file are not trusted: if they are cut
// or changed, records are lost, but no wrong record appears, and nothing outside the bytes is read.
#include "breadcrumbs.h"
#include "metric_slots.h"
#include "record_types.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

/// A region and the checked contents of its header. Strings are not terminated; *_length gives their bytes.
typedef struct ck_region_view {
  const unsigned char *base;
  size_t available;  // bytes at base
  bool is_self;
  bool is_exit_test;  // Swift Testing started the process for the body of an exit test
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t ring_offset;
  uint32_t ring_size;
  uint64_t salt;
  uint64_t ring_epochs;
  uint64_t instance;     // random, one for each region
  uint64_t start_ticks;  // field 22 of /proc/self/stat; 0: unknown (never attached to a file)
  uint64_t started_at;   // CLOCK_MONOTONIC, nanoseconds
  uint64_t last_alive;   // the same: known to have lived then, to a second
  int64_t clock_offset;  // CLOCK_REALTIME - CLOCK_MONOTONIC, nanoseconds: add to any time here to have UTC
  ck_ending ending;
  uint8_t boot_id_length;
  uint8_t process_name_length;
  uint8_t application_name_length;
  uint8_t application_version_length;
  uint8_t application_build_length;
  char boot_id[CK_BOOT_ID_SIZE];
  char process_name[CK_NAME_MAX];
  char application_name[CK_NAME_MAX];
  char application_version[CK_VERSION_MAX];
  char application_build[CK_VERSION_MAX];
  ck_evidence evidence;
} ck_region_view;

/// Notes that a hang is under way, since a moment of CLOCK_MONOTONIC in nanoseconds; 0: no longer. A process that ends
/// meanwhile is said to have hung. Async-signal-safe.
void ck_region_set_hang(uint64_t since_monotonic_ns);

/// Looks at this process's region. The clock offset is taken anew. False: it cannot be used right now.
bool ck_region_view_self(ck_region_view *view);

/// Looks at the bytes of a region's file; they must be aligned to 8 and outlive the view. False: not a region.
bool ck_region_view_bytes(ck_region_view *view, const void *bytes, size_t size);

typedef struct ck_breadcrumb {
  uint64_t time;  // CLOCK_MONOTONIC, nanoseconds
  uint32_t thread;
  uint64_t task;  // the number of the Swift task that recorded it; 0: none, or none that is known
  ck_level level;
  bool is_cut;  // message, category or attributes were longer
  uint8_t attribute_count;
  uint8_t category_length;
  uint16_t message_length;
  uint16_t attributes_length;
  const char *category;
  const char *message;
  const unsigned char *attributes;  // for ck_breadcrumb_attribute
} ck_breadcrumb;

/// Reads breadcrumbs, oldest first. About 2.3 kB: give it static memory in a handler. To be treated as opaque.
typedef struct ck_ring_reader {
  const uint64_t *ring;
  uint64_t available_words;
  uint64_t word_mask;
  uint64_t salt;
  uint64_t position;  // in units of 16 bytes since the ring began
  uint64_t end;
  uint64_t recorded;
  uint64_t shown;
  uint64_t words[CK_RECORD_WORDS_MAX];
} ck_ring_reader;

void ck_ring_reader_init(ck_ring_reader *reader, const ck_region_view *view);

/// The next breadcrumb; what it points to lies in the reader and holds until the next call. False: there are no more.
bool ck_ring_next(ck_ring_reader *reader, ck_breadcrumb *breadcrumb);

/// How many breadcrumbs were recorded and not shown so far. After the last one: those overwritten, plus the few that
/// were not whole.
uint64_t ck_ring_omitted(const ck_ring_reader *reader);

typedef struct ck_slice {
  const char *bytes;
  size_t length;
} ck_slice;

/// A breadcrumb's attributes: start with *offset 0 and call until it returns false.
bool ck_breadcrumb_attribute(const ck_breadcrumb *breadcrumb, size_t *offset, ck_slice *key, ck_slice *value);

typedef struct ck_attribute {
  uint8_t key_length;
  uint16_t value_length;
  char key[CK_ATTRIBUTE_KEY_MAX];
  char value[CK_ATTRIBUTE_VALUE_MAX];
} ck_attribute;

/// The attribute in a slot from 0 to CK_ATTRIBUTE_SLOTS - 1: a whole old or a whole new one. False: none there.
bool ck_attribute_read(const ck_region_view *view, int slot, ck_attribute *attribute);

/// The metric in a slot from 0 to CPH_METRIC_SLOTS - 1. False: none there.
bool ck_metric_read(const ck_region_view *view, int slot, cph_metric *metric);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
