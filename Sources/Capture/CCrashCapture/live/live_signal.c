// A capture in a signal handler, printed. System calls only.

#include "live/live_signal.h"

#include <stdatomic.h>
#include <time.h>

#include "CGround/clock.h"
#include "CGround/descriptors.h"
#include "CGround/own_ids.h"
#include "CGround/refusals.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CReportTerms.h"
#include "live/interrupted_capture.h"
#include "live/live_report.h"
#include "processor/guard.h"
#include "processor/settings.h"
#include "report/capture_lines.h"
#include "report/report_cuts.h"

/// So long the signal waits for a capture that is under way, or for a fork. The thread that it interrupted may be the
/// one that makes it.
#define WAIT_NS 500000000ull
#define REST_NS 2000000

static _Atomic int answering;  // the process in which a signal is being answered

bool ck_live_signal_asks(const siginfo_t *info) {
  if (info->si_code == SI_KERNEL) return true;
  bool is_sent = info->si_code == SI_USER || info->si_code == SI_QUEUE || info->si_code == SI_TKILL;
  return is_sent && info->si_pid != (int)cgr_process_id();
}

static void add_signal(cgr_text *text, int signal) {
  cgr_text_string(text, term_signal_name(signal));
  if (signal <= SIGSYS) return;
  cgr_text_string(text, " ");
  cgr_text_decimal(text, signal);
}

static void print_lines(ck_report *report, const ck_live_result *result, void *argument) {
  ck_capture_lines lines;
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0) {
    // If nothing can be written, nothing was searched.
    if (result->error != 0 && ck_current_settings.tasks) ck_all_tasks_find(&report->images, &report->tasks);
    ck_print_capture(report, &lines, *(const int *)argument, result->error == 0);
  } else {
    cgr_guard_held = 0;
  }
  CK_GUARD_LEAVE(outer);
}

static bool capture(const crp_images *images, int signal, const siginfo_t *info, const ucontext_t *context) {
  char bytes[96];
  cgr_text description = CGR_TEXT(bytes);
  cgr_text_string(&description, "asked for by ");
  add_signal(&description, signal);
  if (info->si_code != SI_KERNEL && info->si_pid > 0) {
    cgr_text_string(&description, " of process ");
    cgr_text_decimal(&description, info->si_pid);
  }
  if (!ck_live_try_lock()) return false;
  ck_interrupted_capture wanted = {images, context, &description, print_lines, &signal};
  bool is_done = ck_live_capture_interrupted(&wanted);
  ck_live_unlock();
  return is_done;
}

static void print_failure(int signal) {
  char bytes[160];
  cgr_text text = CGR_TEXT(bytes);
  cgr_text_string(&text, "CrashKit[");
  cgr_text_decimal(&text, cgr_process_id());
  cgr_text_string(&text, "]: ");
  add_signal(&text, signal);
  cgr_text_string(&text, ": no threads shown: another report or a fork is under way, or there is no memory\n");
  cgr_print("CrashKit", text.bytes, text.size);
}

static void answer(const crp_images *images, int signal, const siginfo_t *info, const ucontext_t *context) {
  uint64_t until_ns = cgr_monotonic_ns() + WAIT_NS;
  while (!capture(images, signal, info, context)) {
    if (ck_live_is_at_work_here() || cgr_monotonic_ns() >= until_ns) return print_failure(signal);
    struct timespec rest = {.tv_nsec = REST_NS};
    cgr_syscall4(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &rest, NULL);
  }
}

void ck_live_answer_signal(const crp_images *images, int signal, const siginfo_t *info, const ucontext_t *context) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  // A child that is forked meanwhile has the word too.
  int process = (int)cgr_process_id();
  if (atomic_exchange(&answering, process) != process) {
    answer(images, signal, info, context);
    atomic_store(&answering, 0);
  }
  CGR_REFUSALS_END(outer);
}
