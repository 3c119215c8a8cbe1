// A violation as a report. System calls only.

#include "findings/report_json.h"

#include "CGround/clock.h"
#include "CReportParts/crash_capture.h"
#include "findings/report_file.h"
#include "CReportParts/host.h"
#include "CGround/own_threads.h"
#include "CReportParts/shared_sections.h"
#include "CGround/syscalls.h"
#include "CReportParts/version.h"

#define THREADS_MAX 256

/// What the sections are written from.
typedef struct ctg_violation_report {
  const struct ctg_violation *violation;
  const struct ctg_thread *thread;  // the one that broke the rule
  const crp_images *images;
  uint64_t realtime_ns;
  uint64_t started_ns;  // when the writing began, by the monotonic clock
} ctg_violation_report;

const struct ctg_stack *ctg_violation_stack(const struct ctg_violation *violation) {
  static const struct ctg_stack none;
  if (violation->stack_count > 0) return &violation->stacks[0].stack;
  return violation->edge_count > 0 ? &violation->edges[violation->edge_count - 1].to_stack : &none;
}

// --- Pieces ----------------------------------------------------------------------------------------------------

static void text(crp_json *json, const char *key, const char *value) {
  if (value) crp_json_text(json, key, value);
}

static void frames(crp_json *json, const char *key, const struct ctg_stack *stack) {
  crp_json_begin_array(json, key);
  for (size_t i = 0; i < stack->count; ++i) {
    crp_json_begin_object(json, NULL);
    crp_json_text(json, "kind", ctg_entry_is_instruction(stack->addresses[i]) ? "programCounter" : "returnAddress");
    crp_json_address(json, "address", ctg_entry_address(stack->addresses[i]));
    crp_json_end(json);
  }
  crp_json_end(json);
}

static void thread_of(crp_json *json, const struct ctg_thread *thread) {
  crp_json_begin_object(json, "thread");
  crp_json_integer(json, "id", thread->id);
  if (thread->name[0]) crp_json_text(json, "name", thread->name);
  crp_json_end(json);
}

// --- Threads ---------------------------------------------------------------------------------------------------

static void thread(crp_json *json, const struct ctg_thread *thread, const struct ctg_stack *stack) {
  static const struct ctg_stack none;
  crp_json_begin_object(json, NULL);
  crp_json_integer(json, "id", thread->id);
  if (thread->name[0]) crp_json_text(json, "name", thread->name);
  if (cgr_is_own_thread(CGR_OF_THREADGUARD, thread->id)) crp_json_text(json, "belongsTo", "ThreadGuard");
  if (stack) crp_json_boolean(json, "violating", true);
  bool is_known = stack && stack->count > 0;
  crp_json_text(json, "capturedBy", is_known ? "caller" : "none");
  crp_json_text(json, "stackEnd", is_known ? "as far as it was recorded" : "its part stands in the violation");
  frames(json, "frames", is_known ? stack : &none);
  crp_json_end(json);
}

// Each once; their stacks at the time stand with what they did.
struct seen {
  size_t count;
  pid_t ids[THREADS_MAX];
};

static void other(crp_json *json, const struct ctg_thread *candidate, struct seen *seen) {
  if (candidate->id == 0 || seen->count == THREADS_MAX) return;
  for (size_t i = 0; i < seen->count; ++i)
    if (seen->ids[i] == candidate->id) return;
  seen->ids[seen->count++] = candidate->id;
  thread(json, candidate, NULL);
}

static void write_threads(crp_json *json, const ctg_violation_report *report) {
  const struct ctg_violation *violation = report->violation;
  const struct ctg_thread *first = report->thread;
  struct seen seen = {.count = 1, .ids = {first->id}};
  crp_json_begin_array(json, "threads");
  thread(json, first, ctg_violation_stack(violation));
  for (size_t i = 0; i < violation->edge_count; ++i) other(json, &violation->edges[i].thread, &seen);
  for (size_t i = 0; i < violation->stack_count; ++i) other(json, &violation->stacks[i].thread, &seen);
  crp_json_end(json);
}

// --- The violation ---------------------------------------------------------------------------------------------

static void locks(crp_json *json, const struct ctg_violation *violation) {
  static const char *const types[] = {
      [CTG_MUTEX] = "mutex",         [CTG_RECURSIVE_MUTEX] = "recursiveMutex",
      [CTG_RWLOCK] = "rwlock",       [CTG_SPINLOCK] = "spinlock",
      [CTG_SEMAPHORE] = "semaphore", [CTG_GROUP] = "group",
      [CTG_QUEUE] = "queue",         [CTG_GUARDED_LOCK] = "guardedLock",
      [CTG_THREAD] = "thread",       [CTG_SWIFT_MUTEX] = "swiftMutex",
  };
  crp_json_begin_array(json, "locks");
  for (size_t i = 0; i < violation->lock_count; ++i) {
    const struct ctg_lock *lock = &violation->locks[i];
    crp_json_begin_object(json, NULL);
    crp_json_address(json, "address", lock->address);
    crp_json_text(json, "type", types[lock->type]);
    text(json, "name", lock->name);
    frames(json, "origin", &lock->origin);
    crp_json_end(json);
  }
  crp_json_end(json);
}

static void edges(crp_json *json, const struct ctg_violation *violation) {
  static const char *const modes[] = {[CTG_EXCLUSIVE] = "exclusive", [CTG_SHARED] = "shared"};
  crp_json_begin_array(json, "edges");
  for (size_t i = 0; i < violation->edge_count; ++i) {
    const struct ctg_edge *edge = &violation->edges[i];
    crp_json_begin_object(json, NULL);
    crp_json_integer(json, "from", (int64_t)edge->from);
    crp_json_integer(json, "to", (int64_t)edge->to);
    crp_json_text(json, "fromMode", modes[edge->from_mode]);
    crp_json_text(json, "toMode", modes[edge->to_mode]);
    thread_of(json, &edge->thread);
    frames(json, "fromFrames", &edge->from_stack);
    frames(json, "toFrames", &edge->to_stack);
    crp_json_begin_array(json, "held");
    for (size_t k = 0; k < edge->held_count; ++k) crp_json_integer(json, NULL, (int64_t)edge->held[k]);
    crp_json_end(json);
    crp_json_end(json);
  }
  crp_json_end(json);
}

static void stacks(crp_json *json, const struct ctg_violation *violation) {
  crp_json_begin_array(json, "stacks");
  for (size_t i = 0; i < violation->stack_count; ++i) {
    const struct ctg_labelled_stack *stack = &violation->stacks[i];
    crp_json_begin_object(json, NULL);
    text(json, "label", stack->label);
    thread_of(json, &stack->thread);
    frames(json, "frames", &stack->stack);
    crp_json_end(json);
  }
  crp_json_end(json);
}

static void write_violation(crp_json *json, const ctg_violation_report *report) {
  const struct ctg_violation *violation = report->violation;
  static const char *const severities[] = {[CTG_NOTE] = "note", [CTG_WARNING] = "warning", [CTG_ERROR] = "error"};
  crp_json_begin_object(json, "violation");
  crp_json_text(json, "severity", severities[violation->severity]);
  text(json, "code", violation->code);
  text(json, "message", violation->message);
  crp_json_integer(json, "thread", report->thread->id);
  text(json, "expected", violation->expected);
  text(json, "actual", violation->actual);
  text(json, "function", violation->function);
  if (violation->file) {
    crp_json_begin_object(json, "sourceLocation");
    crp_json_text(json, "file", violation->file);
    crp_json_integer(json, "line", violation->line);
    crp_json_integer(json, "column", 0);
    crp_json_end(json);
  }
  locks(json, violation);
  edges(json, violation);
  stacks(json, violation);
  crp_json_end(json);
}

// --- The process -----------------------------------------------------------------------------------------------

static void application(crp_json *json) {
  const crp_crash_capture *capture = crp_crash_capture_lent();
  bool named = capture && capture->application_name[0];
  crp_json_begin_object(json, "application");
  crp_json_text(json, "name", named ? capture->application_name : ctg_process_name());
  if (capture && capture->application_version[0]) crp_json_text(json, "version", capture->application_version);
  if (capture && capture->application_build[0]) crp_json_text(json, "build", capture->application_build);
  crp_json_end(json);
}

static void write_process(crp_json *json, const ctg_violation_report *report) {
  crp_json_begin_object(json, "process");
  crp_json_integer(json, "pid", cgr_syscall0(SYS_getpid));
  crp_json_text(json, "name", ctg_process_name());
  uint64_t uptime_ns = crp_process_uptime_ns();
  if (uptime_ns > 0) {
    crp_json_timestamp(json, "startedAt", (int64_t)(report->realtime_ns - uptime_ns));
    crp_json_seconds(json, "uptime", uptime_ns);
  }
  crp_json_end(json);
  application(json);
}

static void write_images(crp_json *json, const ctg_violation_report *report) {
  crp_section_images(json, report->images);
}

static void write_memory(crp_json *json, const ctg_violation_report *report) {
  (void)report;
  crp_memory_use memory = crp_process_memory();
  crp_section_memory_begin(json, &memory);
  crp_json_end(json);
}

static void write_host(crp_json *json, const ctg_violation_report *report) {
  static char name_bytes[128], version_bytes[128];
  cgr_text name = CGR_TEXT(name_bytes), version = CGR_TEXT(version_bytes);
  (void)report;
  crp_host_os_release("NAME", &name);
  crp_host_os_release("VERSION", &version);
  crp_section_host(json, &name, &version);
}

// --- The report ------------------------------------------------------------------------------------------------

static void write_header(crp_json *json, const ctg_violation_report *report) {
  static char bytes[256];
  cgr_text platform = CGR_TEXT(bytes);
  crp_host_platform(&platform);
  crp_json_text(json, "schema", "crashkit/1");
  crp_json_timestamp(json, "timestamp", (int64_t)report->realtime_ns);
  crp_json_text(json, "kind", ctg_kind_name(report->violation->kind));
  text(json, "description", report->violation->message);
  crp_json_string(json, "platform", platform.bytes, platform.size);
  crp_json_text(json, "architecture", CRP_ARCHITECTURE);
}

static void write_capture(crp_json *json, const ctg_violation_report *report) {
  crp_json_begin_object(json, "capture");
  crp_json_text(json, "version", CRP_VERSION);
  crp_json_seconds(json, "writeTime", cgr_monotonic_ns() - report->started_ns);
  crp_json_end(json);
}

#define WRITER_true(writer) write_##writer,
#define WRITER_false(writer)

static void (*const writers[])(crp_json *json, const ctg_violation_report *report) = {
#define SECTION(writer, name, in_crash, in_live, in_violation, always, keys) WRITER_##in_violation(writer)
#include "CReportParts/section_table.def"
#undef SECTION
};

void ctg_report_json(crp_json *json, const struct ctg_violation *violation, const struct ctg_thread *thread,
                     const crp_images *images, uint64_t realtime_ns) {
  ctg_violation_report report = {violation, thread, images, realtime_ns, cgr_monotonic_ns()};
  crp_json_begin_object(json, NULL);
  for (size_t i = 0; i < sizeof writers / sizeof *writers; ++i) writers[i](json, &report);
  crp_json_end(json);
  crp_json_flush(json);
}
