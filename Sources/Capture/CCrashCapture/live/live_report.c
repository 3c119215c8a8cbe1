// Reports of a process that goes on. A fault in the middle costs the part under way; a crash elsewhere goes first.
// Nobody is stopped while this allocates, locks or unwinds: a thread only copies its own stack, or is looked at where
// it waits.

#include "live/live_report.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "CProcessHooks.h"
#include "CGround/clock.h"
#include "processor/guard.h"
#include "processor/interrupted_call.h"
#include "CReportParts/host.h"
#include "threads/libc_signal.h"
#include "threads/live_threads.h"
#include "threads/live_turn.h"
#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "report/report_cuts.h"
#include "report/section_table.h"
#include "stack/fde.h"
#include "processor/settings.h"
#include "CGround/own_ids.h"
#include "CGround/signals.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "CGround/write_signals.h"
#include "tasks/earlier_looks.h"
#include "threads/thread_facts.h"
#include "threads/thread_stopping.h"

ck_report *ck_live_report_open(size_t size) {
  ck_live_watch_forks();
  long memory = cgr_map_apart(size);
  if (cgr_syscall_failed(memory)) {
    errno = (int)-memory;
    return NULL;
  }
  ck_live_lock();
  bool ready = ck_live_prepare();
  ck_live_unlock();
  if (!ready) {
    cgr_unmap_apart((void *)memory, size);
    errno = ENOMEM;
    return NULL;
  }
  ck_report *report = (ck_report *)memory;
  report->tasks.is_alive = true;
  uint64_t mask;
  ck_live_begin_stacks(&mask);
  crp_images_prepare(&report->images);
  ck_live_end_stacks(&mask);
  return report;
}

ck_report *ck_live_report_shared(int *error) {
  static _Atomic(ck_report *) shared;
  *error = ck_current_settings.enabled ? 0 : CK_LIVE_NOT_INSTALLED;
  if (*error != 0) return NULL;
  if (!atomic_load(&shared)) {
    ck_report *fresh = ck_live_report_open(sizeof *fresh), *none = NULL;
    if (!fresh) {
      *error = errno;
      return NULL;
    }
    if (!atomic_compare_exchange_strong(&shared, &none, fresh)) cgr_unmap_apart(fresh, sizeof *fresh);
  }
  return atomic_load(&shared);
}

// --- Stacks ----------------------------------------------------------------------------------------------------

static bool refresh_images(ck_report *report) {
  uint64_t mask;
  if (!ck_live_take_turn(&mask)) return false;
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0)
    crp_images_refresh(&report->images);
  else
    ck_report_cut(report, "images", "a fault while it was made");
  CK_GUARD_LEAVE(outer);
  ck_live_end_turn(&mask);
  return true;
}

static bool unwind(ck_report *report, const ck_registers *registers, const ck_stack_copy *copy, ck_stack *stack) {
  uint64_t mask;
  if (!ck_live_take_turn(&mask)) return false;
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0) {
    ck_unwind_copy(&report->images, registers, copy, stack);
  } else {
    stack->end = CK_END_FAULT;
    ck_unwind_after_fault();
  }
  CK_GUARD_LEAVE(outer);
  ck_live_end_turn(&mask);
  return true;
}

static bool unwind_thread(ck_report *report, ck_thread *thread, const ck_stack_copy *copy) {
  ck_stack *stack = &thread->stack;
  if (thread->captured_by == CK_BY_NONE) {
    if (!ck_thread_is_gone(thread)) stack->end = CK_END_NOT_STOPPED;
    return true;
  }
  if (CK_FRAME_POOL - report->frames_used < CK_FRAMES_MAX) {
    ck_report_cut(report, "threads", "no room for more frames");
    return true;
  }
  stack->addresses = report->frame_addresses + report->frames_used;
  stack->flags = report->frame_flags + report->frames_used;
  bool done = unwind(report, &thread->registers, copy, stack);
  report->frames_used += stack->count;
  return done;
}

// The functions of this target say nothing of the program.
static void drop_inner_frames(ck_stack *stack, uint64_t return_address) {
  uint32_t first = 0;
  while (first < stack->count && stack->addresses[first] != return_address) ++first;
  if (first == stack->count || stack->omitted > 0) return;
  stack->addresses += first;
  stack->flags += first;
  stack->count -= first;
}

static bool take_own(ck_report *report, const ucontext_t *context, ck_captured_by way) {
  ck_thread *own = &report->threads.entries[0];
  ck_registers_read(&own->registers, context);
  ck_stack_copy copy;
  ck_live_copy_own_stack(&own->registers, &copy);
  own->captured_by = way;
  own->call = ck_interrupted_call_number(context);
  own->in_call = own->call >= 0;
  own->state = own->in_call ? 'S' : 'R';
  ck_thread_read_own_name(own->name, &own->name_size);
  ck_swift_task_read(ck_swift_task_current(), &own->task);
  return unwind_thread(report, own, &copy);
}

static void look_up(ck_thread *thread) {
  ck_thread_read_status(thread);
  thread->stop_signal = CK_LIBC_SIGNAL;  // what it would be asked by
}

static bool take_others(ck_report *report) {
  ck_threads *threads = &report->threads;
  bool first = true;
  for (int pass = 0; pass < 3 && ck_threads_find(threads, report->tid, first, NULL) > 0; ++pass) first = false;
  for (size_t i = 1; i < threads->count; ++i) look_up(&threads->entries[i]);
  for (size_t start = 1; start < threads->count; start += CK_LIVE_BATCH) {
    ck_thread *batch[CK_LIVE_BATCH];
    ck_stack_copy copies[CK_LIVE_BATCH];
    size_t count = threads->count - start < CK_LIVE_BATCH ? threads->count - start : CK_LIVE_BATCH;
    for (size_t i = 0; i < count; ++i) batch[i] = &threads->entries[start + i];
    ck_live_copy_stacks(batch, count, copies);
    for (size_t i = 0; i < count; ++i)
      if (!unwind_thread(report, batch[i], &copies[i])) return false;
  }
  return true;
}

// A report's name holds milliseconds: each report has a millisecond of its own.
static uint64_t unique_realtime(void) {
  static uint64_t last_ms;
  uint64_t ns = cgr_realtime_ns(), ms = ns / 1000000;
  if (ms <= last_ms) {
    ms = last_ms + 1;
    ns = ms * 1000000;
  }
  last_ms = ms;
  return ns;
}

static void begin(ck_report *report, const char *kind) {
  ck_threads_clear(&report->threads);
  report->cut_count = report->frames_used = 0;
  report->kind = kind;
  report->error = 0;
  report->pid = (int)cgr_process_id();
  report->tid = (int)cgr_thread_id();
  report->started_ns = cgr_monotonic_ns();
  report->realtime_ns = unique_realtime();
  report->facts.uptime_ns = crp_process_uptime_ns();
  ck_threads_append(&report->threads, report->tid);
}

static void end(ck_report *report) {
  ck_live_release_copies();
  report->captured_ns = cgr_monotonic_ns();
}

// Not inlined: its frame stands, with its callers', in the copy of the own stack.
__attribute__((noinline)) bool ck_live_take_all(ck_report *report, const char *kind, const void *return_address) {
  begin(report, kind);
  uint64_t mask;
  ck_live_begin_stacks(&mask);
  ucontext_t context;
  getcontext(&context);
  bool done = refresh_images(report) && take_own(report, &context, CK_BY_CALLER);
  if (done) drop_inner_frames(&report->threads.entries[0].stack, (uintptr_t)return_address);
  done = done && take_others(report);
  end(report);
  ck_live_end_stacks(&mask);
  return done;
}

bool ck_live_take_interrupted(ck_report *report, const char *kind, const ucontext_t *context) {
  if (!ck_live_try_stacks()) return false;
  begin(report, kind);
  bool done = refresh_images(report) && take_own(report, context, CK_BY_SIGNAL) && take_others(report);
  end(report);
  ck_live_leave_stacks();
  return done;
}

ck_captured_by ck_live_take_one(ck_report *report, int tid, ck_stack *stack) {
  ck_thread thread;
  memset(&thread, 0, sizeof thread);
  thread.tid = tid;
  ck_thread *batch[1] = {&thread};
  ck_stack_copy copy;
  uint64_t mask;
  ck_live_begin_stacks(&mask);
  bool done = refresh_images(report);
  if (done) ck_live_copy_stacks(batch, 1, &copy);
  done = done && thread.captured_by != CK_BY_NONE && unwind(report, &thread.registers, &copy, stack);
  ck_live_release_copies();
  ck_live_end_stacks(&mask);
  return done ? thread.captured_by : CK_BY_NONE;
}

bool ck_live_stack_holds(ck_report *report, const ck_stack *stack, uint64_t function) {
  uint64_t mask;
  if (!ck_live_take_turn(&mask)) return false;
  volatile bool holds = false;
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0) {
    for (uint32_t i = 0; i < stack->count && !holds; ++i) {
      uint64_t pc = stack->addresses[i] - !(stack->flags[i] & CK_FRAME_PROGRAM_COUNTER);
      const crp_image *image = crp_image_at(&report->images, pc);
      holds = image && ck_fde_function_start(image, pc) == function;
    }
  }
  CK_GUARD_LEAVE(outer);
  ck_live_end_turn(&mask);
  return holds;
}

// --- Tasks -----------------------------------------------------------------------------------------------------

void ck_live_keep_tasks(const ck_report *report) {
  bool was_searched = ck_current_settings.tasks && !report->tasks.why_none;
  if (was_searched) ck_earlier_looks_keep(&report->tasks, cgr_monotonic_ns());
}

bool ck_live_find_tasks(ck_report *report) {
  uint64_t mask;
  ck_live_begin_stacks(&mask);
  bool done = refresh_images(report);
  ck_live_end_stacks(&mask);
  if (done) ck_all_tasks_find(&report->images, &report->tasks);
  return done;
}

// --- Writing ---------------------------------------------------------------------------------------------------

static void write_section(ck_report *report, const ck_section *section) {
  ck_guard guard, *outer;
  if (CK_GUARD_ENTER(&guard, outer) == 0) {
    section->write(report);
  } else {
    cgr_guard_held = 0;
    ck_report_cut(report, section->name, "a fault while it was made");
    crp_json_recover(&report->json, 1);
  }
  CK_GUARD_LEAVE(outer);
}

static int write_all(ck_report *report, bool replaces) {
  ck_output *output = &report->output;
  ck_stage_gather_facts(report);
  bool numbered = ck_current_settings.numbered_output;
  ck_output_open(output, report->realtime_ns, report->pid, report->kind, numbered);
  if (output->file < 0 && !numbered) return output->error ? output->error : ENOENT;
  output->replaces = replaces;
  crp_json_start(&report->json, ck_output_write, output);
  crp_json_begin_object(&report->json, NULL);
  for (size_t i = 0; i < ck_section_count; ++i)
    if (ck_sections[i].in_live) write_section(report, &ck_sections[i]);
  crp_json_recover(&report->json, 0);
  crp_json_flush(&report->json);
  if (output->cut)
    ck_output_discard(output);
  else
    ck_output_finish(output);
  ck_output_repeat(output);
  ck_live_keep_tasks(report);
  return output->error;
}

void ck_live_write(ck_report *report, bool replaces, ck_live_result *result) {
  memset(result, 0, sizeof *result);
  cgr_write_signals held;
  cgr_write_signals_hold(&held);
  result->error = write_all(report, replaces);
  ck_output_drop_signals(&held);
  cgr_write_signals_release(&held, 0);
  if (result->error == 0 && report->output.directory >= 0)
    cgr_copy(result->path, report->output.path, cgr_length(report->output.path) + 1);
}
