// Turns findings into reports for people. System calls and functions of strings only: none of them is interposed by
// ThreadGuard or allocates.

#include "violations.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

#include "CGround/clock.h"
#include "CReportParts/crash_capture.h"
#include "CGround/descriptors.h"
#include "findings/distinct.h"
#include "findings/options.h"
#include "findings/report_file.h"
#include "findings/report_json.h"
#include "findings/report_lines.h"
#include "findings/suppressions.h"
#include "findings/tolerated_uses.h"
#include "findings/violation_end.h"
#include "ground/guard_lines.h"
#include "ground/own_lock.h"
#include "ground/state.h"
#include "ground/work_stack.h"
#include "CReportParts/images.h"
#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "violation_store.h"

// Held while a violation is looked at: everything below it is for one thread at a time.
static struct ctg_own_lock reporting;
static long process;  // whose counts these are
static unsigned reported;
static crp_images images;
static crp_json json;

// --- The start -------------------------------------------------------------------------------------------------

static void read_suppressions(const char *path) {
  int error = ctg_suppressions_read(path);
  if (error == 0) return;
  char bytes[1024];
  cgr_text text = CGR_TEXT(bytes);
  ctg_line_head(&text);
  cgr_text_string(&text, path);
  cgr_text_string(&text, ": ");
  cgr_text_string(&text, strerrordesc_np(error));
  ctg_line_end(&text);
}

static void prepare(void) {
  cgr_standard_error_prepare();
  ctg_options_prepare();
  ctg_report_file_prepare();
  ctg_end_prepare(&reporting);
  if (ctg_options.suppressions[0]) read_suppressions(ctg_options.suppressions);
}

// A lock may be taken before any constructor of ours has run.
static void prepare_once(void) {
  static struct ctg_own_lock preparing;
  static _Atomic bool prepared;
  if (prepared || !ctg_own_lock_take(&preparing)) return;
  if (!prepared) prepare();
  prepared = true;
  ctg_own_lock_release(&preparing);
}

void ctg_violations_start(void) { prepare_once(); }

// --- One violation ---------------------------------------------------------------------------------------------

// The thread that broke the rule: the one of the first stack, or the one that runs here.
static struct ctg_thread violating_thread(const struct ctg_violation *violation) {
  if (violation->stack_count > 0 && violation->stacks[0].thread.id != 0) return violation->stacks[0].thread;
  if (violation->edge_count > 0) return violation->edges[violation->edge_count - 1].thread;
  struct ctg_thread thread = {.id = (pid_t)cgr_syscall0(SYS_gettid)};
  prctl(PR_GET_NAME, thread.name);
  return thread;
}

static void refresh_images(void) {
  if (images.count == 0)
    crp_images_read(&images);
  else
    crp_images_refresh(&images);
}

static void leave_breadcrumb(const struct ctg_violation *violation) {
  const crp_crash_capture *capture = crp_crash_capture_lent();
  if (!capture) return;
  char bytes[1024];
  cgr_text text = CGR_TEXT(bytes);
  cgr_text_string(&text, ctg_kind_name(violation->kind));
  cgr_text_string(&text, ": ");
  if (violation->message) cgr_text_string(&text, violation->message);
  capture->record(text.bytes, text.size, "ThreadGuard", violation->severity == CTG_ERROR);
}

static const char *write_file(const struct ctg_violation *violation, const struct ctg_thread *thread) {
  uint64_t now = cgr_realtime_ns();
  if (!ctg_report_file_open(now, ctg_kind_name(violation->kind))) return NULL;
  crp_json_start(&json, ctg_report_file_write, NULL);
  ctg_report_json(&json, violation, thread, &images, now);
  return ctg_report_file_finish();
}

static void say_limit(void) {
  char bytes[128];
  cgr_text text = CGR_TEXT(bytes);
  ctg_line_head(&text);
  cgr_text_string(&text, "the limit of ");
  cgr_text_unsigned(&text, ctg_options.limit);
  cgr_text_string(&text, ctg_options.limit == 1 ? " report" : " reports");
  cgr_text_string(&text, " is reached; more are only counted");
  ctg_line_end(&text);
}

static bool is_within_limit(void) {
  if (reported < ctg_options.limit) return ++reported;
  if (ctg_counts.beyond_limit++ == 0) say_limit();
  return false;
}

static void tell(const struct ctg_violation *violation, enum ctg_violation_mode mode) {
  if (mode == CTG_MODE_COLLECT || !is_within_limit()) return;
  struct ctg_thread thread = violating_thread(violation);
  const char *path = mode == CTG_MODE_LOG ? NULL : write_file(violation, &thread);
  if (!ctg_program_listens() || mode == CTG_MODE_ABORT) ctg_report_lines(violation, &thread, &images, path);
}

// A child of fork has broken no rule yet.
static void notice_fork(void) {
  long now = cgr_syscall0(SYS_getpid);
  if (process == now) return;
  if (process != 0) {
    ctg_distinct_forget();
    memset(&ctg_counts, 0, sizeof ctg_counts);
    reported = 0;
  }
  process = now;
}

// Reported before, with other stacks.
static bool is_of_told_subject(const struct ctg_violation *violation) {
  int rule;
  if (!violation->subject) return false;
  if (ctg_distinct_find(violation->subject, &rule) != CTG_NEW) return true;
  ctg_distinct_add(violation->subject, -1);
  return false;
}

// Whether the violation is to be seen by anyone.
static bool look_at(const struct ctg_violation *violation, enum ctg_violation_mode mode) {
  notice_fork();
  uint64_t fingerprint = ctg_fingerprint(violation);
  int rule = -1;
  enum ctg_sighting sighting = ctg_distinct_find(fingerprint, &rule);
  if (sighting == CTG_NEW) {
    refresh_images();
    // Looked at again each time that it is seen, which is once a place in the code.
    if (ctg_is_tolerated_use(violation, &images)) return false;
    if (ctg_suppressions_any(violation->kind)) rule = ctg_suppressions_match(violation, &images);
    ctg_distinct_add(fingerprint, rule);
    if (rule < 0 && is_of_told_subject(violation)) sighting = CTG_SEEN;
  }
  if (rule >= 0) {
    ++ctg_counts.suppressed;
    ctg_suppressions_count(rule);
    return false;
  }
  if (sighting == CTG_SEEN) {
    ++ctg_counts.repeats;
    return true;
  }
  ++ctg_counts.kinds[violation->kind];
  leave_breadcrumb(violation);
  tell(violation, mode);
  return true;
}

struct to_report {
  const struct ctg_violation *violation;
  bool is_own;
  bool is_reported, ends_process;
};

static void report(void *argument) {
  struct to_report *given = argument;
  prepare_once();
  enum ctg_violation_mode mode = ctg_mode_of(given->violation->kind);
  if (!ctg_own_lock_take(&reporting)) return;
  given->is_reported = look_at(given->violation, mode);
  ctg_own_lock_release(&reporting);
  if (!given->is_reported) return;
  if (ctg_program_listens() ? !given->is_own : mode == CTG_MODE_COLLECT) ctg_store_keep(given->violation);
  given->ends_process = mode == CTG_MODE_ABORT;
}

// A thread that is cancelled in the middle of a write would never give the lock back: on this stack none is.
static int guarded_report(const struct ctg_violation *violation, bool is_own) {
  struct to_report given = {.violation = violation, .is_own = is_own};
  int kept_errno = errno;
  ++ctg_busy;
  ctg_on_work_stack(report, &given);
  --ctg_busy;
  errno = kept_errno;
  if (given.ends_process) ctg_abort_off_work_stack();
  return given.is_reported;
}

int ctg_violation_report(const struct ctg_violation *violation) { return guarded_report(violation, false); }
int ctg_violation_report_own(const struct ctg_violation *violation) { return guarded_report(violation, true); }

int ctg_read_suppressions(const char *path) { return ctg_suppressions_read(path); }
