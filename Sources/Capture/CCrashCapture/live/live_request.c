// A capture in a signal handler. System calls only.

#include "live/live_request.h"

#include <linux/prctl.h>

#include "CGround/refusals.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CReportTerms.h"
#include "live/interrupted_capture.h"
#include "live/live_report.h"

static uint32_t last_answered;  // under the lock

static uint64_t value_of(const siginfo_t *info) { return (uint64_t)(uintptr_t)info->si_value.sival_ptr; }

bool ck_live_is_request(int signal, const siginfo_t *info) {
  return signal == TERM_REQUEST_SIGNAL && info->si_code == SI_QUEUE && value_of(info) >> 32 == TERM_REQUEST_COOKIE;
}

static bool answer(const crp_images *images, uint32_t number, const ucontext_t *context) {
  char bytes[sizeof TERM_REQUEST_WORDS + 8];
  cgr_text description = CGR_TEXT(bytes);
  cgr_text_string(&description, TERM_REQUEST_WORDS);
  cgr_text_hex(&description, number, 8);
  ck_interrupted_capture wanted = {.images = images, .context = context, .description = &description};
  return ck_live_capture_interrupted(&wanted);
}

void ck_live_answer(const crp_images *images, const siginfo_t *info, const ucontext_t *context) {
  uint32_t number = (uint32_t)value_of(info);
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  bool may_be_traced = cgr_syscall1(SYS_prctl, PR_GET_DUMPABLE) == 1;
  if (may_be_traced && ck_live_try_lock()) {
    // Who asks asks again until there is an answer.
    if (last_answered != number && answer(images, number, context)) last_answered = number;
    ck_live_unlock();
  }
  CGR_REFUSALS_END(outer);
}
