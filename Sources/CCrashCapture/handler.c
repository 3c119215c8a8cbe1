// The signal handlers. System calls only, but for the program's own handlers, which run as the kernel would run them.

#include "handler.h"

#include <errno.h>
#include <stdatomic.h>

#include "CProcessHooks.h"
#include "clock.h"
#include "death.h"
#include "deadline.h"
#include "guard.h"
#include "maps.h"
#include "memory.h"
#include "region.h"
#include "runtime_backtracer.h"
#include "settings.h"
#include "syscalls.h"

static const int handled_signals[] = {SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGSYS};
#define HANDLED (sizeof handled_signals / sizeof *handled_signals)

static ck_report *report_memory;
static _Atomic int owner;  // the thread that captures, 0 before
static _Atomic bool reported;

// --- The program's own handlers ------------------------------------------------------------------------------

/// One call of a handler of the program, on its thread's stack while it lasts. A handler may also jump away, so the
/// record counts only while the thread is still deeper than it.
#define CHAIN_MAGIC 0x636b636861696eull
struct chain {
  uint64_t magic;
  struct chain *outer;
  int signal;
  siginfo_t *info;
  ucontext_t *context;
};

/// The last fault of a thread whose handler returned: to tell a repair from a fault that comes back.
struct last_fault {
  int signal;
  unsigned times;
  uint64_t address;
  ck_registers registers;
};

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
static _Thread_local INITIAL_EXEC struct chain *current_chain;
static _Thread_local INITIAL_EXEC struct last_fault last_fault;

static struct chain *running_handler(void) {
  struct chain *chain = current_chain;
  char here;
  if (chain && ((uintptr_t)&here >= (uintptr_t)chain || (uintptr_t)chain - (uintptr_t)&here > 16 * 1024 * 1024
                || chain->magic != CHAIN_MAGIC))
    current_chain = chain = NULL;
  return chain;
}

static bool is_default(const struct sigaction *action) {
  return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_DFL;
}

static bool is_ignore(const struct sigaction *action) {
  return !(action->sa_flags & SA_SIGINFO) && action->sa_handler == SIG_IGN;
}

static bool same_registers(const ck_registers *a, const ck_registers *b) {
  for (int i = 0; i < CK_REGISTER_COUNT; ++i)
    if (a->values[i] != b->values[i]) return false;
  return true;
}

static unsigned note_fault(int signal, const siginfo_t *info, const ck_registers *registers) {
  struct last_fault *last = &last_fault;
  uint64_t address = (uintptr_t)info->si_addr;
  if (last->signal == signal && last->address == address && same_registers(&last->registers, registers))
    return ++last->times;
  last->signal = signal;
  last->address = address;
  last->registers = *registers;
  return last->times = 1;
}

static bool is_pending(int signal) {
  uint64_t pending = 0;
  ck_syscall2(SYS_rt_sigpending, &pending, 8);
  return pending >> (signal - 1) & 1;
}

// Runs the program's handler as the kernel would have: its mask, its flags. True where the program goes on: the handler
// repaired the fault, or the signal was none. A handler that leaves the program at the same instruction with the same
// registers and the same memory protection, a third time in a row, repairs nothing.
static bool program_handles(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action) {
  bool by_processor = info->si_code > 0;
  ck_registers before;
  ck_registers_read(&before, context);
  unsigned times = by_processor ? note_fault(signal, info, &before) : 0;
  ck_map_query map_before = {.address = (uintptr_t)info->si_addr};
  if (times > 2) ck_maps_query(&map_before, 1);

  if (action->sa_flags & SA_RESETHAND) cph_signal_reset_program_action(signal);
  uint64_t mask = ((uint64_t *)&context->uc_sigmask)[0] | ((const uint64_t *)&action->sa_mask)[0], ours;
  if (!(action->sa_flags & SA_NODEFER)) mask |= 1ull << (signal - 1);
  struct chain chain = {CHAIN_MAGIC, running_handler(), signal, info, context};
  current_chain = &chain;
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &mask, &ours, 8);
  if (action->sa_flags & SA_SIGINFO)
    action->sa_sigaction(signal, info, context);
  else
    action->sa_handler(signal);
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &ours, NULL, 8);
  current_chain = chain.outer;
  chain.magic = 0;

  struct sigaction now;
  cph_signal_program_action(signal, &now);
  if (is_default(&now) && is_pending(signal)) return false;
  if (times <= 2) return true;
  ck_registers after;
  ck_registers_read(&after, context);
  if (!same_registers(&before, &after)) return true;
  ck_map_query map_after = {.address = map_before.address};
  ck_maps_query(&map_after, 1);
  const ck_mapping *a = &map_before.at, *b = &map_after.at;
  return a->found != b->found || a->readable != b->readable || a->writable != b->writable
         || a->executable != b->executable;
}

// --- Capturing -----------------------------------------------------------------------------------------------

// True on the thread that made the report; false where another thread was first.
static bool capture(int signal, const siginfo_t *info, ucontext_t *context) {
  int none = 0, self = (int)ck_syscall0(SYS_gettid);
  if (!atomic_compare_exchange_strong(&owner, &none, self)) return false;
  ck_deadline_start(signal, info);
  ck_report *report = report_memory;
  report->started_ns = ck_monotonic_ns();
  report->realtime_ns = ck_realtime_ns();
  report->kind = "crashReport";
  report->pid = (int)ck_syscall0(SYS_getpid);
  report->tid = self;
  ck_fault_read(&report->fault, signal, info, context);
  ck_output_make_room();
  cph_signal_masks_are_fixed = true;
  ck_report_make(report);
  cph_signal_masks_are_fixed = false;
  atomic_store_explicit(&reported, true, memory_order_release);
  return true;
}

static const struct chain *outermost(const struct chain *chain) {
  while (chain && chain->outer && chain->outer->magic == CHAIN_MAGIC) chain = chain->outer;
  return chain;
}

// `origin` is the fault whose handler ended the process, where there is one: the report is of that.
static void die(int signal, siginfo_t *info, ucontext_t *context, const struct chain *origin,
                const struct sigaction *action) {
  bool first = origin ? capture(origin->signal, origin->info, origin->context) : capture(signal, info, context);
  if (!first && !atomic_load_explicit(&reported, memory_order_acquire)) {
    ck_threads_walk_in(context);
    return;
  }
  if (first && ck_runtime_backtracer_wanted(action)) {
    ck_threads_release();
    ck_deadline_restart(CK_RUNTIME_LIMIT_NS);
    action->sa_sigaction(signal, info, context);
  }
  ck_die_on_return(signal, info, context);
}

static void on_signal(int signal, siginfo_t *info, void *context_pointer) {
  ucontext_t *context = context_pointer;
  // The breadcrumbs' file was cut short by somebody else: ordinary memory takes its place, and the access succeeds.
  if (signal == SIGBUS && info->si_code > 0 && ck_region_handle_bus((uintptr_t)info->si_addr)) return;
  if (atomic_load_explicit(&owner, memory_order_relaxed) == (int)ck_syscall0(SYS_gettid)) {
    // A crash in the handler: the stage under way is given up, the report goes on behind it.
    if (!atomic_load_explicit(&reported, memory_order_acquire) && ck_guard_current)
      ck_jump_to(&ck_guard_current->jump);
    ck_die_on_return(signal, info, context);
    return;
  }
  struct sigaction action;
  cph_signal_program_action(signal, &action);
  const struct chain *inside = running_handler();
  if (is_ignore(&action) && info->si_code <= 0) return;
  bool programs_own = !is_default(&action) && !is_ignore(&action) && !ck_is_runtime_backtracer(&action);
  if (programs_own && program_handles(signal, info, context, &action)) return;
  die(signal, info, context, outermost(inside), &action);
}

// A handler of the program ends it by exit or _exit.
static void about_to_exit(int status) {
  (void)status;
  const struct chain *inside = outermost(running_handler());
  if (!inside) return;
  if (!capture(inside->signal, inside->info, inside->context)) return;
  ck_deadline_stop();
  ck_threads_release();
}

int ck_handlers_install(ck_report *report) {
  report_memory = report;
  cph_signals_prepare();
  ck_runtime_backtracer_prepare(&report->images);
  cph_observe_exits(about_to_exit);
  struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
  sigfillset(&action.sa_mask);
  for (size_t i = 0; i < HANDLED; ++i) sigdelset(&action.sa_mask, handled_signals[i]);
  sigdelset(&action.sa_mask, SIGALRM);
  int error = 0;
  for (size_t i = 0; i < HANDLED; ++i) {
    int result = cph_signal_own(handled_signals[i], &action);
    if (result != 0) error = result;
  }
  return error;
}

void ck_handlers_remove(void) {
  cph_observe_exits(NULL);
  for (size_t i = 0; i < HANDLED; ++i) cph_signal_disown(handled_signals[i]);
}
