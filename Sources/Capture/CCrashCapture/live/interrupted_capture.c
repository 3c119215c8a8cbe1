// System calls only.

#include "live/interrupted_capture.h"

#include <signal.h>
#include <sys/mman.h>

#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "CGround/signals.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "live/live_report.h"
#include "threads/capture_stack.h"
#include "threads/libc_signal.h"
#include "threads/live_threads.h"

#define STACK_BYTES (256 * 1024)

// Below and above the stack nothing may be written.
typedef struct room {
  uint8_t guard_below[CGR_GUARD_BYTES];
  uint8_t stack[STACK_BYTES];
  uint8_t guard_above[CGR_GUARD_BYTES];
  ck_report report;
} room;

typedef struct capture {
  room *room;
  const ck_interrupted_capture *wanted;
  stack_t threads_own;
  bool is_done;
} capture;

static room *open_room(void) {
  long memory = cgr_map_apart(sizeof(room));
  if (cgr_syscall_failed(memory)) return NULL;
  room *opened = (room *)memory;
  cgr_syscall3(SYS_mprotect, opened->guard_below, CGR_GUARD_BYTES, PROT_NONE);
  cgr_syscall3(SYS_mprotect, opened->guard_above, CGR_GUARD_BYTES, PROT_NONE);
  return opened;
}

static void make(void *argument) {
  capture *making = argument;
  const ck_interrupted_capture *wanted = making->wanted;
  ck_report *report = &making->room->report;
  // A fault of the capture comes back on this stack: on the thread's own alternate one it would come over the handler.
  stack_t stack = {.ss_sp = making->room->stack, .ss_size = STACK_BYTES};
  cgr_syscall2(SYS_sigaltstack, &stack, &making->threads_own);
  // A crash may stop this thread too.
  uint64_t mask = ~(CGR_HANDLED_SIGNALS | CGR_SIGNAL_BIT(CK_LIBC_SIGNAL)), handlers;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &handlers, 8);
  ck_live_result result;
  making->is_done = ck_live_take_interrupted(report, "capture", wanted->context);
  if (making->is_done) ck_live_write(report, false, &result);
  if (making->is_done && wanted->end) wanted->end(report, &result, wanted->argument);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &handlers, NULL, 8);
}

bool ck_live_capture_interrupted(const ck_interrupted_capture *wanted) {
  room *room = ck_live_prepare() ? open_room() : NULL;
  if (!room) return false;
  cgr_copy(&room->report.images, wanted->images, sizeof *wanted->images);
  room->report.description = CGR_TEXT(room->report.description_bytes);
  cgr_text_bytes(&room->report.description, wanted->description->bytes, wanted->description->size);
  capture making = {.room = room, .wanted = wanted};
  cgr_call_on_stack(make, &making, room->stack + STACK_BYTES);
  cgr_syscall2(SYS_sigaltstack, &making.threads_own, NULL);
  cgr_unmap_apart(room, sizeof *room);
  return making.is_done;
}
