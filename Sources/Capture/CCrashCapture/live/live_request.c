// A capture in a signal handler, in memory that is there for as long as it takes. System calls only.

#include "live/live_request.h"

#include <linux/prctl.h>
#include <sys/mman.h>

#include "CGround/memory.h"
#include "CGround/refusals.h"
#include "CGround/signals.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "CReportTerms.h"
#include "live/live_report.h"
#include "threads/capture_stack.h"
#include "threads/libc_signal.h"
#include "threads/live_threads.h"

#define STACK_BYTES (256 * 1024)

// Below and above the stack nothing may be written.
typedef struct room {
  uint8_t guard_below[CK_GUARD_BYTES];
  uint8_t stack[STACK_BYTES];
  uint8_t guard_above[CK_GUARD_BYTES];
  ck_report report;
} room;

typedef struct request {
  room *room;
  const ucontext_t *context;
  stack_t threads_own;
  bool is_done;
} request;

static uint32_t last_answered;  // under the lock

static uint64_t value_of(const siginfo_t *info) { return (uint64_t)(uintptr_t)info->si_value.sival_ptr; }

bool ck_live_is_request(int signal, const siginfo_t *info) {
  return signal == TERM_REQUEST_SIGNAL && info->si_code == SI_QUEUE && value_of(info) >> 32 == TERM_REQUEST_COOKIE;
}

static room *open_room(void) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  long memory = cgr_syscall6(SYS_mmap, 0, sizeof(room), PROT_READ | PROT_WRITE, flags, -1, 0);
  if (cgr_syscall_failed(memory)) return NULL;
  room *opened = (room *)memory;
  cgr_syscall3(SYS_mprotect, opened->guard_below, CK_GUARD_BYTES, PROT_NONE);
  cgr_syscall3(SYS_mprotect, opened->guard_above, CK_GUARD_BYTES, PROT_NONE);
  return opened;
}

static void capture(void *argument) {
  request *asked = argument;
  ck_report *report = &asked->room->report;
  // A fault of the capture comes back on this stack: on the thread's own alternate one it would come over the handler.
  stack_t stack = {.ss_sp = asked->room->stack, .ss_size = STACK_BYTES};
  cgr_syscall2(SYS_sigaltstack, &stack, &asked->threads_own);
  // A crash may stop this thread too.
  uint64_t mask = ~(CGR_HANDLED_SIGNALS | CGR_SIGNAL_BIT(CK_LIBC_SIGNAL)), handlers;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &handlers, 8);
  ck_live_result result;
  asked->is_done = ck_live_take_interrupted(report, "capture", asked->context);
  if (asked->is_done) ck_live_write(report, false, &result);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &handlers, NULL, 8);
}

static bool answer(const crp_images *images, uint32_t number, const ucontext_t *context) {
  room *room = ck_live_prepare() ? open_room() : NULL;
  if (!room) return false;
  ck_report *report = &room->report;
  cgr_copy(&report->images, images, sizeof *images);
  report->description = CGR_TEXT(report->description_bytes);
  cgr_text_string(&report->description, TERM_REQUEST_WORDS);
  cgr_text_hex(&report->description, number, 8);
  request asked = {.room = room, .context = context};
  cgr_call_on_stack(capture, &asked, room->stack + STACK_BYTES);
  cgr_syscall2(SYS_sigaltstack, &asked.threads_own, NULL);
  cgr_syscall2(SYS_munmap, room, sizeof *room);
  return asked.is_done;
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
