#pragma once
// Reading a region: this process's own, in a crash handler, or a dead process's from the bytes of its file.
//
// All functions here are async-signal-safe and take bounded time. Bytes of a file are not trusted: cut or changed
// ones lose records, they never give a wrong one nor a read outside of the bytes.
#include "attributes.h"
#include "breadcrumbs.h"
#include "metric_slots.h"

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CK_NAME_MAX = 64,
  CK_VERSION_MAX = 32,
  CK_BOOT_ID_SIZE = 36,  // as in /proc/sys/kernel/random/boot_id
  CK_EVENTS_PATH_MAX = 376,
  CK_RECORD_WORDS_MAX = 4 + (CK_MESSAGE_MAX + CK_CATEGORY_MAX + CK_CRUMB_ATTRIBUTE_BYTES) / 8,
};

/// How far the process got, as it wrote it down itself.
typedef enum ck_ending : uint32_t {
  CK_ENDING_NONE = 0,      // still running, or ended without a chance to say so
  CK_ENDING_CLEAN = 1,     // it exited
  CK_ENDING_REPORTED = 2,  // it crashed and left a report
  CK_ENDING_CRASHING = 3,  // it crashed, and there is no report, or not a finished one
  CK_ENDING_EXITED = 4,    // it called _exit, _Exit or quick_exit with another status than 0
  CK_ENDING_PRINTED = 5,   // it crashed, and its report is on standard error, as numbered lines
} ck_ending;

/// What a process leaves for others to tell how it ended: all 0 in files of version 1, and where nothing is known.
typedef struct ck_evidence {
  uint64_t hang_since;         // CLOCK_MONOTONIC, nanoseconds: a hang was under way; 0: none
  uint64_t crash_time;         // CLOCK_REALTIME, nanoseconds: of the report that was being made
  uint32_t crash_signal;
  uint32_t exit_status;        // with CK_ENDING_EXITED
  uint64_t pid_namespace;      // inode of /proc/self/ns/pid
  uint64_t memory_limit;       // bytes, at the start; 0: none
  uint64_t machine_oom_kills;  // oom_kill of /proc/vmstat at the start; UINT64_MAX: unknown
  uint64_t oom_kills;          // oom_kill of the file below at the start
  uint64_t events_inode;       // of that file: another one belongs to another control group
  uint16_t events_path_length;  // 0: no such file
  char events_path[CK_EVENTS_PATH_MAX];  // memory.events, or memory.oom_control of version 1 of control groups
  uint64_t handler_time;       // CLOCK_MONOTONIC, nanoseconds: when a handler of the program was last entered
  uint32_t handler_signal;     // its signal; 0: none was
  uint32_t handler_thread;     // 0: it has returned
} ck_evidence;

/// A region and the checked contents of its header. Strings are not terminated; *_length gives their bytes.
typedef struct ck_region_view {
  const unsigned char *base;
  size_t available;  // bytes at base
  bool is_self;
  uint32_t pid;
  uint32_t parent_pid;
  uint32_t ring_offset;
  uint32_t ring_size;
  uint64_t salt;
  uint64_t ring_epochs;
  uint64_t instance;           // random, one for each region
  uint64_t start_ticks;        // field 22 of /proc/self/stat; 0: unknown (never attached to a file)
  uint64_t started_at;         // CLOCK_MONOTONIC, nanoseconds
  uint64_t last_alive;         // the same: known to have lived then, to a second
  int64_t clock_offset;        // CLOCK_REALTIME - CLOCK_MONOTONIC, nanoseconds: add to any time here to have UTC
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
