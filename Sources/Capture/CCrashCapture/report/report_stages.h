#pragma once
// One report being made, and its stages: captured into memory set aside at install, then written section by section.

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "CProcessHooks.h"
#include "report/cause.h"
#include "CReportParts/host.h"
#include "CReportParts/images.h"
#include "CReportParts/json.h"
#include "report/output.h"
#include "surroundings/descriptor_count.h"
#include "surroundings/fault_places.h"
#include "memory_shortage.h"
#include "tasks/all_tasks.h"
#include "threads/threads.h"

#pragma GCC visibility push(hidden)

#define CK_FRAME_POOL (1024 * 1024)
#define CK_CUTS_MAX 16

typedef struct ck_report {
  ck_fault fault;
  const char *kind;
  int pid, tid;
  uint64_t started_ns;   // monotonic
  uint64_t realtime_ns;  // at the start
  uint64_t captured_ns;  // monotonic, when the stacks were there
  uint64_t ended_ns;     // monotonic, when the report was written
  char description_bytes[1024];
  cgr_text description;  // of a report that is not of a signal
  const struct ck_hang *hang;
  uint64_t error;               // where the error is that the report is about; 0 for none
  const uint64_t *stuck_tasks;  // their ids, in ascending order
  size_t stuck_task_count;
  char cause_bytes[640];
  cgr_text cause;
  term_cause cause_code;
  char message_bytes[CPH_WORDS_MAX];
  cgr_text message;
  struct {
    const char *what, *reason;
  } cuts[CK_CUTS_MAX];
  size_t cut_count;
  size_t frames_used;
  bool starts_over;  // the file could not take it all: it is written again, elsewhere
  bool is_whole;     // all of it was written, to a file or as numbered lines
  // From files of /proc and /etc, read before the report's own file takes what may be the last descriptor.
  struct {
    uint64_t uptime_ns;
    crp_memory_use memory;
    char platform_bytes[256], name_bytes[128], version_bytes[128];
    cgr_text platform, os_name, os_version;
    // Of a death alone.
    ck_fault_places places;
    ck_descriptor_count descriptors;
    ck_memory_shortage shortage;
  } facts;
  ck_output output;
  crp_json json;
  crp_images images;
  ck_threads threads;
  ck_all_tasks tasks;
  uint64_t frame_addresses[CK_FRAME_POOL];
  uint8_t frame_flags[CK_FRAME_POOL];
} ck_report;

/// A fault's signal and code, and who sent it. Async-signal-safe.
void ck_write_signal(crp_json *json, const ck_fault *fault);

// The stages, each in the file of its subject. Async-signal-safe.
void ck_stage_unwind_crashed(ck_report *report);
void ck_stage_unwind_others(ck_report *report);
void ck_stage_gather_facts(ck_report *report);
/// Whether the report is of a death by a signal, rather than of a process that goes on.
static inline bool ck_is_of_death(const ck_report *report) { return report->fault.context != NULL; }
/// What a death's report says of the memory map, of descriptors and of memory's shortage.
void ck_stage_gather_surroundings(ck_report *report);
void ck_write_header(ck_report *report);
void ck_write_process(ck_report *report);
void ck_write_images(ck_report *report);
void ck_write_threads(ck_report *report);
void ck_write_captured_memory(ck_report *report);
/// What a thread waits for, if that is known.
void ck_write_wait(crp_json *json, const ck_thread *thread);
void ck_write_deadlock(ck_report *report);
/// What a crashed thread was to wait for, if the kernel refused that since it would never have ended.
void ck_read_refused_wait(const ck_report *report, ck_thread *thread);
/// How a report spells the way by which a stack was had. Async-signal-safe.
const char *ck_captured_by_name(ck_captured_by way);
/// The list of a stack's frames.
void ck_write_frames(crp_json *json, const ck_stack *stack);
/// The context with a number, if it is open. Async-signal-safe.
void ck_write_context(crp_json *json, uint64_t number);
void ck_write_breadcrumbs(ck_report *report);
void ck_write_attributes(ck_report *report);
void ck_write_metrics(ck_report *report);
void ck_write_provided(ck_report *report);
void ck_write_memory(ck_report *report);
void ck_write_host(ck_report *report);
void ck_write_fault(ck_report *report);
void ck_write_guarded(ck_report *report);
void ck_write_descriptors(ck_report *report);
void ck_write_hang(ck_report *report);
void ck_write_thrown(ck_report *report);
void ck_write_tasks(ck_report *report);
void ck_write_capture(ck_report *report);
/// The capture section's words on how the tasks were found, or why none were.
void ck_write_task_search(ck_report *report);
/// The capture section's list of threads without a stack.
void ck_write_unanswered(ck_report *report);
void ck_write_summary(ck_report *report);
/// A record in systemd's journal, with CRASHKIT_OPTIONS=journal=yes.
void ck_write_journal(ck_report *report);
/// One line of JSON on standard error, with CRASHKIT_OPTIONS=output=json-line.
void ck_write_json_line(ck_report *report);

#pragma GCC visibility pop
