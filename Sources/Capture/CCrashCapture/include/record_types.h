#pragma once
// Definitions for both the program's records and the region's file: limits, and how a process ended.
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Of the attribute table.
enum {
  CK_ATTRIBUTE_SLOTS = 64,
  CK_ATTRIBUTE_KEY_MAX = 64,     // bytes; longer keys are cut at a whole UTF-8 character
  CK_ATTRIBUTE_VALUE_MAX = 512,  // bytes; longer values are cut so and end in "…"
};

// Of a breadcrumb.
enum {
  CK_MESSAGE_MAX = 1024,
  CK_CATEGORY_MAX = 64,
  CK_CRUMB_KEY_MAX = 64,
  CK_CRUMB_VALUE_MAX = 256,
  CK_CRUMB_ATTRIBUTES_MAX = 16,
  CK_CRUMB_ATTRIBUTE_BYTES = 1024,
};

// Of the region.
enum {
  CK_NAME_MAX = 64,
  CK_VERSION_MAX = 32,
  CK_BOOT_ID_SIZE = 36,  // as in /proc/sys/kernel/random/boot_id
  CK_EVENTS_PATH_MAX = 376,
  CK_RECORD_WORDS_MAX = 5 + (CK_MESSAGE_MAX + CK_CATEGORY_MAX + CK_CRUMB_ATTRIBUTE_BYTES) / 8,
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

/// By this a later launch finds how a process ended: all 0 in files of version 1, and if nothing is known.
typedef struct ck_evidence {
  uint64_t hang_since;  // CLOCK_MONOTONIC, nanoseconds: a hang was under way; 0: none
  uint64_t crash_time;  // CLOCK_REALTIME, nanoseconds: of the report that was being made
  uint32_t crash_signal;
  uint32_t exit_status;                  // with CK_ENDING_EXITED
  uint64_t pid_namespace;                // inode of /proc/self/ns/pid
  uint64_t memory_limit;                 // bytes, at the start; 0: none
  uint64_t machine_oom_kills;            // oom_kill of /proc/vmstat at the start; UINT64_MAX: unknown
  uint64_t oom_kills;                    // oom_kill of the file below at the start
  uint64_t events_inode;                 // of that file: another one belongs to another control group
  uint16_t events_path_length;           // 0: no such file
  char events_path[CK_EVENTS_PATH_MAX];  // memory.events, or memory.oom_control of version 1 of control groups
  uint64_t handler_time;                 // CLOCK_MONOTONIC, nanoseconds: when a handler of the program was last entered
  uint32_t handler_signal;               // its signal; 0: none was
  uint32_t handler_thread;               // 0: it has returned
} ck_evidence;

#ifdef __cplusplus
}
#endif
