// The signal handlers. System calls only, except the program's own handlers, which run as the kernel would run them.

#include "death/handler.h"

#include <errno.h>
#include <stdatomic.h>

#include "CProcessHooks.h"
#include "death/captor.h"
#include "death/capture_mask.h"
#include "threads/abort_call.h"
#include "threads/capture_stack.h"
#include "CGround/clock.h"
#include "death/death.h"
#include "death/deadline.h"
#include "processor/guard.h"
#include "processor/interrupted_call.h"
#include "death/look_away.h"
#include "death/own_end.h"
#include "live/live_request.h"
#include "live/live_signal.h"
#include "report/last_signs.h"
#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "death/program_handler.h"
#include "death/refused_call.h"
#include "CGround/own_ids.h"
#include "CGround/refusals.h"
#include "record/region.h"
#include "death/runtime_backtracer.h"
#include "processor/settings.h"
#include "CGround/signals.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"
#include "CGround/write_signals.h"

/// So many faults a report survives: more than one for each thread's stack. Memory of ours that was written over may
/// fault again on the way to each next stage.
#define FAULTS_MAX 20000
/// So far inside a guard its frames reach at most.
#define GUARDED_BYTES_MAX (1024 * 1024)

static ck_report *report_memory;
static _Atomic uint64_t chaining;  // the process in which the Swift runtime's backtracer is at work

// --- Capturing -----------------------------------------------------------------------------------------------

static uint64_t this_process(void) { return (uint64_t)cgr_process_id(); }

// What the Swift runtime's backtracer is called with.
typedef struct backtracer_call {
  const struct sigaction *action;
  int signal;
  siginfo_t *info;
  ucontext_t *context;
} backtracer_call;

typedef struct death {
  int signal;
  const siginfo_t *info;
  ucontext_t *context;
  const ck_last_signs *signs;
  bool forgets;                       // another process has left its report in this memory
  const backtracer_call *backtracer;  // NULL if the program ends itself
} death;

static const backtracer_call *backtracer;  // of the thread that captures
static unsigned faults;                    // of that thread

static bool chains(void) { return atomic_load_explicit(&chaining, memory_order_acquire) == this_process(); }

// Runs the Swift runtime's backtracer if it is wanted and has not run yet.
static void run_backtracer(void) {
  const backtracer_call *call = backtracer;
  if (!call || chains() || !ck_runtime_backtracer_wanted(call->action, report_memory->is_whole)) return;
  atomic_store_explicit(&chaining, this_process(), memory_order_release);
  ck_threads_release(CK_RELEASE_FOR_BACKTRACER);
  ck_deadline_restart(CK_RUNTIME_LIMIT_NS);
  call->action->sa_sigaction(call->signal, call->info, call->context);
}

// The report cannot be finished: the time is up, or the capture crashed outside of its stages.
static void give_up(void) {
  // The backtracer's own thread shares these words, and faults where memory cannot be read.
  ck_guard_current = NULL;
  cph_signal_masks_are_fixed = false;
  run_backtracer();
}

static void make_report(void *argument) {
  const death *death = argument;
  backtracer = death->backtracer;
  faults = 0;
  // Whatever this thread was in the middle of, and whatever has been written over these words.
  ck_guard_current = NULL;
  cgr_guard_held = 0;
  // From here on a fault finds its way back on this stack, whatever the thread's own alternate one has room for.
  ck_capture_stack_enter();
  cgr_write_signals held;
  ck_capture_mask_set(&held, death->context);
  ck_report *report = report_memory;
  if (death->forgets) {
    ck_threads_forget();
    ck_report_forget(report);
  }
  report->started_ns = cgr_monotonic_ns();
  report->realtime_ns = cgr_realtime_ns();
  report->kind = "crashReport";
  report->pid = (int)this_process();
  report->tid = (int)cgr_thread_id();
  ck_region_begin_crash(death->signal, report->realtime_ns);
  ck_deadline_start(death->signal, death->info, give_up);
  ck_fault_read(&report->fault, death->signal, death->info, death->context);
  report->fault.signs = *death->signs;
  cph_signal_masks_are_fixed = true;
  ck_look_away(1);
  cgr_open_makes_room = true;
  ck_report_make(report);
  cgr_open_makes_room = false;
  ck_look_away(-1);
  cph_signal_masks_are_fixed = false;
  ck_output_drop_signals(&held);
  cgr_write_signals_release(&held, 0);
}

// True on the thread that made the report; false where another thread was first, or another process has the memory.
static bool capture(int signal, const siginfo_t *info, ucontext_t *context, const ck_last_signs *signs,
                    const backtracer_call *call) {
  ck_captor_turn turn = ck_guards_are_barred() ? CK_TURN_NONE : ck_captor_take_turn();
  if (turn == CK_TURN_NONE) return false;
  death death = {signal, info, context, signs, turn == CK_TURN_AFTER_OTHERS, call};
  // Where the kernel cannot be given that stack, a refused call would begin over the frames of this one.
  bool stays = cph_stacks_are_refused() && cph_signal_stack_part_at((uintptr_t)__builtin_frame_address(0)) == 0;
  if (stays)
    make_report(&death);
  else
    cgr_call_on_stack(make_report, &death, ck_capture_stack_top());
  ck_capture_stack_leave();
  ck_captor_has_reported();
  return true;
}

// A thread that crashes too while the runtime's backtracer is at work must neither end the process nor go on; the
// backtracer stops it by signals of its own.
static void stay_for_backtracer(const ucontext_t *context) {
  for (;; ck_deadline_keep()) {
    struct timespec second = {.tv_sec = 1, .tv_nsec = 0};
    cgr_syscall5(SYS_ppoll, NULL, 0, &second, &context->uc_sigmask, 8);
  }
}

// Returns true if the process may die: with its report made, or without one, since another process kept the memory.
// Returns false if another thread makes the report. `origin` is the fault whose handler ended the process, if there is
// one: the report is of that.
static bool report_death(int signal, siginfo_t *info, ucontext_t *context, const ck_last_signs *signs,
                         const ck_handler_call *origin, const struct sigaction *action) {
  backtracer_call call = {action, signal, info, context};
  bool first = origin ? capture(origin->signal, origin->info, origin->context, origin->signs, &call)
                      : capture(signal, info, context, signs, &call);
  if (!first && ck_is_dying() && !ck_is_reported()) {
    ck_threads_walk_in(origin ? origin->signal : signal, origin ? origin->info : info, context);
    return false;
  }
  if (chains() && !ck_is_captor()) stay_for_backtracer(context);
  if (!first) return true;
  run_backtracer();
  ck_captor_leaves();
  return true;
}

// Whether the fault came inside the guard. Processes that share memory may share thread-local variables as well: then
// the guard may be another one's, on another stack.
static bool is_guarded_by(const ck_guard *guard, uintptr_t stack_pointer) {
  uint64_t magic;
  if ((uintptr_t)guard - stack_pointer > GUARDED_BYTES_MAX) return false;
  return guard && cgr_memory_read((uintptr_t)guard, &magic, sizeof magic) == sizeof magic
         && magic == CK_GUARD_MAGIC(guard);
}

// The kernel would have broken off no call for a signal that the program blocks or ignores.
static void go_on_waiting(ucontext_t *context) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  ck_restart_interrupted_call(context);
  CGR_REFUSALS_END(outer);
}

// The signal that asks for all threads and tasks. Then the program's own handler runs as if we were not there. Without
// one the program goes on, unless it sent the signal itself.
static void on_asking_signal(int signal, siginfo_t *info, ucontext_t *context) {
  bool asks = ck_live_signal_asks(info) && cph_is_own_process();
  if (asks && !ck_is_dying()) ck_live_answer_signal(&report_memory->images, signal, info, context);
  struct sigaction action;
  cph_signal_program_action(signal, &action);
  bool is_default = action.sa_handler == SIG_DFL, is_handled = !is_default && action.sa_handler != SIG_IGN;
  if (ck_is_program_handler(&action) || (is_handled && !asks))
    return cph_signal_run_program_handler(signal, info, context, &action);
  // The kernel spares PID 1 the default action.
  if (is_default && !asks && cgr_process_id() != 1) return ck_die_on_return(signal, info, context);
  go_on_waiting(context);
}

// Runs the program's handler, if it has one, with nothing of ours around it.
static bool stands_aside(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action,
                         volatile uint8_t *selector) {
  if (!ck_is_program_handler(action)) return false;
  cph_foreign_handler handler = {action->sa_sigaction, action->sa_flags, *(const uint64_t *)&action->sa_mask, selector};
  cph_run_on_foreign_thread(signal, info, context, &handler);
  return true;
}

// Nothing of ours can be done here but to step aside. Another thread's request for a look gets no answer.
static void on_foreign_signal(int signal, siginfo_t *info, ucontext_t *context) {
  struct sigaction action;
  cph_signal_program_handler(signal, &action);
  if (stands_aside(signal, info, context, &action, NULL)) return;
  bool is_ours = signal == ck_current_settings.on_signal || ck_live_is_request(signal, info);
  if (is_ours || (action.sa_handler == SIG_IGN && info->si_code <= 0)) return;
  cph_die_on_foreign_thread(signal, info, context);
}

// Whether a signal that the program ignores does nothing: not a fault, and not what abort() begins with, which ends the
// process by calls of its own.
static bool is_let_go(int signal, const siginfo_t *info, const ucontext_t *context) {
  if (info->si_code > 0) return false;
  ck_registers registers;
  ck_registers_read(&registers, context);
  return !ck_abort_has_raised(signal, info, &registers);
}

// Leaves the handler of a fault: the next fault in the guarded work comes as this one did.
_Noreturn static void jump_to(ck_guard *guard, int signal) {
  uint64_t one = CGR_SIGNAL_BIT(signal);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &one, NULL, 8);
  ck_jump_to(&guard->jump);
}

static void on_usual_signal(int signal, siginfo_t *info, ucontext_t *context) {
  if (ck_end_own_step(signal, info, context)) return;
  // The breadcrumbs' file was cut short by another process: ordinary memory takes its place, and the access succeeds.
  if (signal == SIGBUS && info->si_code > 0 && ck_region_handle_bus((uintptr_t)info->si_addr)) return;
  // A filter of system calls that answers with a signal: to a call of ours an error will do as well.
  bool is_refused = signal == SIGSYS && info->si_code > 0;
  if (is_refused && (ck_dispatched_call_is_handed_over(info, context) || ck_refused_call_is_ours(info, context)))
    return;
  bool captures = ck_is_captor();
  if (is_refused && captures) return ck_context_set_result(context, -ENOSYS);
  if (is_refused && ck_refused_call_is_handed_over(info, context)) return;
  if (captures && !ck_is_reported()) {
    // A signal that a process has sent is no crash in the handler. The signal of abort() is one.
    if (info->si_code <= 0 && !(signal == SIGABRT && info->si_code == SI_TKILL)) return;
    // A crash in the handler: the stage under way is given up, the report goes on behind it.
    if (ck_guard_current && ++faults < FAULTS_MAX) jump_to(ck_guard_current, signal);
    give_up();
    ck_die_on_return(signal, info, context);
    return;
  }
  // A capture of the living process reads what may change under it: a fault of its own costs it one stack.
  if (!captures && info->si_code > 0 && is_guarded_by(ck_guard_current, cgr_context_stack_pointer(context))) {
    cgr_refusals_expected = 0;
    jump_to(ck_guard_current, signal);
  }
  if (!captures && ck_live_is_request(signal, info)) {
    if (!ck_is_dying()) ck_live_answer(&report_memory->images, info, context);
    return go_on_waiting(context);
  }
  if (signal == ck_current_settings.on_signal) return on_asking_signal(signal, info, context);
  // Raised for another part that asked for it, as ThreadGuard does with invalid operations.
  if (!captures && cph_fault_is_filtered(signal, info, context)) return;
  if (ck_handler_holds(signal, info, context)) return go_on_waiting(context);
  struct sigaction action;
  cph_signal_program_action(signal, &action);
  uint64_t interrupted = *(const uint64_t *)&context->uc_sigmask;
  if (action.sa_handler == SIG_IGN && is_let_go(signal, info, context)) return go_on_waiting(context);
  if (action.sa_handler == SIG_DFL && ck_own_end_is_answered(signal, info)) return go_on_waiting(context);
  ck_last_signs signs = {0};
  ck_last_signs_take(&signs, signal);
  ck_handler_outcome outcome = CK_HANDLER_DIES;
  if (ck_is_program_handler(&action) && ck_handler_may_run(signal, info, context)) {
    ck_region_enter_handler(signal);
    outcome = ck_run_program_handler(signal, info, context, &action, &signs);
    ck_region_leave_handler();
    if (outcome == CK_HANDLER_LIVES_ON) return;
  }
  // Not before: to look at every handler that was left takes longer than to call one.
  const ck_handler_call *origin = ck_outermost_handler(cgr_context_stack_pointer(context), interrupted);
  if (!report_death(signal, info, context, &signs, origin, &action)) return;
  // The report is of the signal that came; the kernel would have killed by another one.
  static const siginfo_t no_room = {.si_signo = SIGSEGV};
  if (outcome == CK_HANDLER_HAS_NO_ROOM && signal != SIGSEGV) return ck_die_on_return(SIGSEGV, &no_room, context);
  ck_die_on_return(signal, info, context);
}

// The thread's system calls come back to the program. They pass while ours are made: a crash has its report.
static void on_dispatching_thread(int signal, siginfo_t *info, ucontext_t *context, volatile uint8_t *selector) {
  if (signal == SIGSYS && info->si_code > 0 && ck_dispatched_call_is_handed_over(info, context)) return;
  *selector = CPH_DISPATCH_ALLOW;
  struct sigaction action;
  cph_signal_program_action(signal, &action);
  if (stands_aside(signal, info, context, &action, selector)) return;
  on_usual_signal(signal, info, context);
  *selector = CPH_DISPATCH_BLOCK;
}

static void on_signal(int signal, siginfo_t *info, void *context_pointer) {
  ck_processor_reset();
  ucontext_t *context = context_pointer;
  if (cph_foreign_question_is_refused(info, context)) return;
  if (cph_thread_is_foreign(signal)) return on_foreign_signal(signal, info, context);
  volatile uint8_t *selector = cph_blocking_selector();
  if (selector) return on_dispatching_thread(signal, info, context, selector);
  cph_leave_small_stack(signal, info, context, on_usual_signal);
  on_usual_signal(signal, info, context);
}

// --- Exits ---------------------------------------------------------------------------------------------------

typedef struct handler_exit {
  uintptr_t stack_pointer;  // of the exit
  uint64_t mask;
  bool runs_more;
} handler_exit;

// The stack of a handler may have room only for the handler and libc's exit.
#define EXIT_STACK_BYTES (16 * 1024)
static _Alignas(16) uint8_t exit_stack[EXIT_STACK_BYTES];
static _Atomic bool exit_stack_is_taken;

// A handler of the program ends it by exit or _exit.
static void exit_in_handler(void *argument) {
  const handler_exit *exit = argument;
  const ck_handler_call *inside = ck_outermost_handler(exit->stack_pointer, exit->mask);
  if (!inside) return;
  if (!capture(inside->signal, inside->info, inside->context, inside->signs, NULL)) {
    if (ck_is_captured_elsewhere()) ck_threads_stay();
    return;
  }
  ck_deadline_stop();
  ck_captor_leaves();
  // At once, no other thread is to run before the process is gone. Functions that run first may need other threads.
  if (exit->runs_more) ck_threads_release(CK_RELEASE_FOR_EXIT);
}

static void about_to_exit(bool runs_more) {
  // Another thread exits while a crash is being captured, and the crash was first.
  if (ck_is_captured_elsewhere()) return ck_threads_stay();
  if (!ck_handler_was_entered()) return;
  handler_exit exit = {(uintptr_t)__builtin_frame_address(0), 0, runs_more};
  // A handler that came meanwhile would begin at the top of the alternate stack, over the frames of this one.
  const uint64_t others = ~CGR_HANDLED_SIGNALS;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &others, &exit.mask, 8);
  // If two handlers exit at once, the second one goes on where it is.
  if (atomic_exchange_explicit(&exit_stack_is_taken, true, memory_order_acquire)) {
    exit_in_handler(&exit);
  } else {
    cgr_call_on_stack(exit_in_handler, &exit, exit_stack + sizeof exit_stack);
    atomic_store_explicit(&exit_stack_is_taken, false, memory_order_release);
  }
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &exit.mask, NULL, 8);
}

static uint64_t owned_signals(void) {
  int asking = ck_current_settings.on_signal;
  return CGR_HANDLED_SIGNALS | (asking != 0 ? CGR_SIGNAL_BIT(asking) : 0);
}

int ck_handlers_install(ck_report *report) {
  report_memory = report;
  cph_real_functions_find();
  cph_foreign_threads_prepare();
  ck_runtime_backtracer_prepare(&report->images);
  ck_abort_prepare(&report->images);
  ck_threads_keep_time_by(ck_deadline_keep);
  cph_observe_exits(about_to_exit);
  struct sigaction action = {.sa_sigaction = on_signal};
  // All 64: sigfillset leaves out those that libc keeps for itself, and one of them stops threads.
  ((uint64_t *)&action.sa_mask)[0] = ~CGR_HANDLED_SIGNALS;
  int error = 0;
  uint64_t left = owned_signals();
  for (int signal; (signal = cgr_signal_take(&left));) {
    // Signals that are sent faster than this handler begins would nest until its stack is full. But a filter may answer
    // each of our calls by SIGSYS, in the handler of SIGSYS too.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK | (signal == SIGSYS ? (int)SA_NODEFER : 0);
    int result = cph_signal_own(signal, &action);
    if (result != 0) error = result;
  }
  cph_masks_keep_open(CGR_FAULT_SIGNALS);
  cph_signals_review_handlers();
  cph_thread_found();
  return error;
}

void ck_handlers_remove(void) {
  cph_observe_exits(NULL);
  cph_masks_keep_open(0);
  cph_signals_review_handlers();
  cph_masks_block_in_earnest();
  uint64_t left = owned_signals();
  for (int signal; (signal = cgr_signal_take(&left));) cph_signal_disown(signal);
}
