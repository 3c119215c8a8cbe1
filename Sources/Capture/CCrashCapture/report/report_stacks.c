// Stacks: unwound into the frame pool. Each has its own guard, so that a damaged stack does not affect the others.

#include "CProcessHooks.h"
#include "processor/guard.h"
#include "report/report_cuts.h"
#include "report/report_stages.h"
#include "threads/thread_facts.h"

static void unwind(ck_report *report, ck_thread *thread, bool at_bad_target) {
  ck_stack *stack = &thread->stack;
  ck_swift_task_read(thread->task_object, &thread->task);
  if (CK_FRAME_POOL - report->frames_used < CK_FRAMES_MAX) {
    ck_report_cut(report, "threads", "no room for more frames");
    return;
  }
  stack->addresses = report->frame_addresses + report->frames_used;
  stack->flags = report->frame_flags + report->frames_used;
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0) {
    ck_unwind(&report->images, &thread->registers, at_bad_target, stack);
  } else {
    cgr_guard_held = 0;
    stack->end = cgr_report_out_of_time ? CK_END_TIME : CK_END_FAULT;
    ck_unwind_after_fault();
  }
  CK_GUARD_LEAVE(outer);
  report->frames_used += stack->count;
}

void ck_stage_unwind_crashed(ck_report *report) {
  ck_thread *thread = &report->threads.entries[0];
  thread->registers = report->fault.registers;
  thread->unprotected = !cph_signal_stack_is_attached() && ck_has_no_alternate_stack(report->fault.context);
  thread->task_object = ck_swift_task_current();
  thread->captured_by = CK_BY_FAULT_CONTEXT;
  unwind(report, thread, ck_fault_is_bad_jump(&report->fault));
}

// A thread that has stopped is unwound while the others are still about to stop.
void ck_stage_unwind_others(ck_report *report) {
  ck_threads *threads = &report->threads;
  for (bool more = true; more;) {
    for (size_t i = 1; i < threads->count; ++i) {
      ck_thread *thread = &threads->entries[i];
      if (thread->stack.end == CK_END_NONE && ck_thread_has_stopped(thread)) unwind(report, thread, false);
      if (cgr_report_out_of_time) return;
    }
    more = ck_threads_wait(threads);
  }
  for (size_t i = 1; i < threads->count; ++i) {
    ck_thread *thread = &threads->entries[i];
    if (thread->stack.end != CK_END_NONE) continue;
    if (ck_thread_has_stopped(thread) || ck_thread_read_syscall(thread))
      unwind(report, thread, false);
    else if (!ck_thread_is_gone(thread))
      thread->stack.end = CK_END_NOT_STOPPED;
  }
}
