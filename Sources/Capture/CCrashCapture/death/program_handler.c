// Runs the program's own handlers and finds out what they did. System calls and memory reads that cannot fault.

#include "death/program_handler.h"

#include <fcntl.h>
#include <elf.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "CProcessHooks.h"
#include "processor/maps.h"
#include "threads/abort_call.h"
#include "CGround/clock.h"
#include "CGround/memory.h"
#include "death/own_end.h"
#include "death/refused_access.h"
#include "processor/registers.h"
#include "death/runtime_backtracer.h"
#include "death/sent_signal.h"
#include "CGround/own_ids.h"
#include "CGround/stack_switch.h"
#include "CGround/syscalls.h"

#define CALL_MAGIC 0x636b636861696eull

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
static _Thread_local INITIAL_EXEC ck_handler_call *current_call;

/// The last fault of a thread whose handler returned: to separate a repair from a fault that comes back.
static _Thread_local INITIAL_EXEC struct {
  int signal;
  unsigned times;
  bool stepping;         // one step is being made behind the repair
  bool stepped_into_it;  // the step led to a fault
  uint64_t mask;         // what the thread goes on with behind the step
  uint64_t address;
  uint64_t since_ns;      // when it came for the first time in a row
  long waits;             // that the thread had made, as it was last asked
  unsigned without_wait;  // how often it came since then
  ck_registers registers;
} last_fault;

/// How long the same fault may come back before it is taken for one that no handler repairs. Another thread may be
/// repairing it, which may fetch a page from far away; and another process, if it is about a file.
#define ALONE_NS 1000000000ull
#define BESIDE_OTHERS_NS 10000000000ull
/// A handler that waits each time may go on for ever: so often it comes back at once before it is taken for one that
/// does not wait.
#define WITHOUT_WAIT_MAX 1000

// --- Which handler we are in -----------------------------------------------------------------------------------

// Thread-local words lie next to the stack, and what overran that may have written over them.
static bool is_sound(const ck_handler_call *call) {
  uint64_t first, last;
  return cgr_word_peek((uintptr_t)call, &first) && first == CALL_MAGIC
         && cgr_word_peek((uintptr_t)(call + 1) - sizeof last, &last);
}

// A record may have been written over by one that lies further in: no walk along them is longer.
#define CALLS_MAX 64

// The innermost one that the program has not left, with this stack pointer and with this mask in the kernel.
static ck_handler_call *running_call(uintptr_t stack_pointer, uint64_t mask) {
  ck_handler_call *call = current_call;
  for (int i = 0; i < CALLS_MAX && call && is_sound(call); ++i, call = call->outer)
    if (cph_handler_place_is_live(&call->place, stack_pointer, mask)) return current_call = call;
  return current_call = NULL;
}

static ck_handler_call *interrupted_call(const ucontext_t *context) {
  return running_call(cgr_context_stack_pointer(context), *(const uint64_t *)&context->uc_sigmask);
}

const ck_handler_call *ck_outermost_handler(uintptr_t stack_pointer, uint64_t mask) {
  const ck_handler_call *call = running_call(stack_pointer, mask), *outermost = NULL;
  long process = cgr_process_id();
  for (int i = 0; i < CALLS_MAX && call && is_sound(call) && call->process == process; ++i, call = call->outer)
    outermost = call;
  return outermost;
}

bool ck_handler_was_entered(void) { return current_call != NULL; }

// At the place that the signal came to.
static uint64_t shown_as_blocked(const ucontext_t *context) {
  return cph_masks_shown(cgr_context_stack_pointer(context), *(const uint64_t *)&context->uc_sigmask);
}

bool ck_handler_may_run(int signal, const siginfo_t *info, const ucontext_t *context) {
  if (info->si_code > 0 && shown_as_blocked(context) & CGR_SIGNAL_BIT(signal)) return false;
  if (cph_handler_place_has_ended(info)) return false;
  // What is on a small stack still could not leave it.
  return !(interrupted_call(context) && cph_stack_is_small(context));
}

bool ck_is_program_handler(const struct sigaction *action) {
  return action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN && !ck_is_runtime_backtracer(action);
}

static bool has_handler(int signal) {
  struct sigaction action;
  cph_signal_program_action(signal, &action);
  return ck_is_program_handler(&action);
}

// Before a handler of the program, or behind it. Our masks alone have the signals that libc keeps for itself.
static bool interrupts_us(const ucontext_t *context) {
  return (*(const uint64_t *)&context->uc_sigmask & CGR_LIBC_SIGNALS) == CGR_LIBC_SIGNALS;
}

// The folder of a process's threads has one link for each of them, and two of its own.
static bool is_alone(void) {
  struct stat status;
  return cgr_syscall4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &status, 0) == 0 && status.st_nlink <= 3;
}

// Whether a signal that the program has blocked here was sent by a handler, to its process, for the end of that.
static bool is_own_end(int signal, const siginfo_t *info) {
  struct sigaction action;
  cph_signal_program_action(signal, &action);
  return action.sa_handler == SIG_DFL && info->si_pid == (pid_t)cgr_process_id();
}

bool ck_handler_holds(int signal, const siginfo_t *info, ucontext_t *context) {
  uint64_t bit = CGR_SIGNAL_BIT(signal), *mask = (uint64_t *)&context->uc_sigmask;
  if (info->si_code > 0) return false;
  bool is_shown = shown_as_blocked(context) & bit, is_in_handler = interrupted_call(context) != NULL;
  // In our mask the program's handler would find nearly all signals blocked.
  if (!is_shown && !(interrupts_us(context) && has_handler(signal))) return false;
  uint64_t before = *mask;
  *mask |= bit;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &bit, NULL, 8);
  // What was sent to one thread, or meets a process with no other, stays with it. What was sent to the process is for
  // any thread that has it open.
  bool to_thread = (is_in_handler && (!is_shown || is_alone())) || ck_was_sent_to_thread(signal, info);
  if (!to_thread && is_in_handler && is_own_end(signal, info)) {
    if (ck_own_end_is_due(signal, info)) {
      *mask = before;
      cgr_syscall4(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, 8);
      return false;
    }
  } else if (to_thread || cgr_syscall3(SYS_rt_sigqueueinfo, cgr_thread_id(), signal, info) < 0) {
    cgr_syscall4(SYS_rt_tgsigqueueinfo, cgr_process_id(), cgr_thread_id(), signal, info);
  }
  if (is_shown) cph_masks_note_held(bit);
  return true;
}

// --- Repaired or not -------------------------------------------------------------------------------------------

static bool same_registers(const ck_registers *a, const ck_registers *b) {
  for (int i = 0; i < CK_REGISTER_COUNT; ++i)
    if (a->values[i] != b->values[i]) return false;
  return true;
}

// How many times in a row the thread has faulted like this.
static unsigned note_fault(int signal, const siginfo_t *info, const ck_registers *registers) {
  uint64_t address = (uintptr_t)info->si_addr;
  if (last_fault.signal == signal && last_fault.address == address && same_registers(&last_fault.registers, registers))
    return ++last_fault.times;
  last_fault.signal = signal;
  last_fault.address = address;
  last_fault.since_ns = cgr_monotonic_ns();
  last_fault.without_wait = 0;
  cgr_copy(&last_fault.registers, registers, sizeof *registers);
  return last_fault.times = 1;
}

// The next fault is the first in a row.
static void forget_fault(void) { last_fault.times = last_fault.signal = 0; }

static uint64_t age_of_fault(void) { return cgr_monotonic_ns() - last_fault.since_ns; }

// Whether the handler waits now and then, for whatever repairs it.
static bool handler_waits(void) {
  struct rusage usage = {0};
  cgr_syscall2(SYS_getrusage, RUSAGE_THREAD, &usage);
  if (usage.ru_nvcsw != last_fault.waits) last_fault.without_wait = 0;
  last_fault.waits = usage.ru_nvcsw;
  return ++last_fault.without_wait <= WITHOUT_WAIT_MAX;
}

static bool may_be_repaired_yet(int signal) {
  uint64_t age = age_of_fault();
  return age < ALONE_NS || (age < BESIDE_OTHERS_NS && (signal == SIGBUS || !is_alone())) || handler_waits();
}

// What is no access to memory, no other thread repairs; but the handler may count how often it is called.
static bool may_come_back_yet(void) { return age_of_fault() < ALONE_NS || handler_waits(); }

// No other signal comes before the step is made, so that no context but ours ever has the trap flag.
static void begin_step(ucontext_t *context) {
  uint64_t *mask = (uint64_t *)&context->uc_sigmask;
  last_fault.mask = *mask;
  *mask |= ~cph_masks_kept_open();
  ck_context_step(context, true);
  last_fault.stepping = true;
}

bool ck_end_own_step(int signal, const siginfo_t *info, ucontext_t *context) {
  if (!last_fault.stepping) return false;
  last_fault.stepping = false;
  ck_context_step(context, false);
  *(uint64_t *)&context->uc_sigmask = last_fault.mask;
  bool is_made = signal == SIGTRAP && info->si_code == TRAP_TRACE;
  last_fault.stepped_into_it = !is_made && info->si_code > 0;
  if (is_made) forget_fault();
  return is_made;
}

// What a repair changes where neither the access nor a step can be tried: the mapping that the fault was about, or the
// instruction that the processor refused.
typedef struct fault_place {
  ck_map_query map;
  uint64_t pc;
  uint32_t instruction;  // its first bytes, 0 if they cannot be read
} fault_place;

static uint32_t instruction_at(uint64_t pc) {
  uint32_t bytes = 0;
  cgr_memory_read(pc, &bytes, sizeof bytes);
  return bytes;
}

static void look_at(fault_place *place, uintptr_t address, uint64_t pc) {
  *place = (fault_place){.map = {.address = address}, .pc = pc, .instruction = instruction_at(pc)};
  ck_maps_query(&place->map, 1);
}

static bool changed(const fault_place *before) {
  ck_map_query after = {.address = before->map.address};
  ck_maps_query(&after, 1);
  const ck_mapping *a = &before->map.at, *b = &after.at;
  return a->found != b->found || a->readable != b->readable || a->writable != b->writable
         || a->executable != b->executable || instruction_at(before->pc) != before->instruction;
}

// abort() goes on to the default action by itself, past sigaction, unless the handler has sent the thread elsewhere.
static bool returns_to_abort(int signal, const siginfo_t *info, const ucontext_t *context, const ck_registers *before) {
  ck_registers after;
  ck_registers_read(&after, context);
  return after.values[CK_REGISTER_PC] == before->values[CK_REGISTER_PC] && ck_abort_has_raised(signal, info, &after);
}

static bool is_pending(int signal) {
  uint64_t pending = 0;
  cgr_syscall2(SYS_rt_sigpending, &pending, 8);
  return pending >> (signal - 1) & 1;
}

typedef struct handler_run {
  ck_handler_call call;
  const struct sigaction *action;
  cph_handler_mask mask;
} handler_run;

// What is left to do once the handler has returned. It lies on the handler's stack: the handler may have been left and
// have gone on later, when `call` was gone.
typedef struct handler_end {
  ck_handler_call *call, *outer;
  const cph_handler_place *place;
  uint64_t serial, ours;
  cph_handler_mask mask;
} handler_end;

// The thread may be another one than before the handler: nothing here was read before it.
__attribute__((noinline)) static void end_handler(const handler_end *end, ucontext_t *context) {
  uint64_t all = ~0ull;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, 8);
  bool was_left = cph_handler_place_was_left(end->place, end->serial);
  if (!was_left) current_call = end->outer;
  cph_handler_mask_leave(&end->mask, context);
  // What was held back while the handler ran comes now. If it kills, `call` is the fault that it belongs to. If it has
  // a handler, it is put back until the kernel has the interrupted mask again.
  if (!was_left) current_call = end->call;
  cgr_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &end->ours, NULL, 8);
  if (was_left) return;
  current_call = end->outer;
  end->call->magic = 0;
}

// Runs on the handler's own stack, which may have room only for the handler. From the change of the mask on, a signal's
// handler may switch to another context.
static void call_handler(void *argument, siginfo_t *info, ucontext_t *context) {
  handler_run *run = argument;
  ck_handler_call *call = &run->call;
  handler_end end = {call, call->outer, &call->place, call->place.serial, 0, run->mask};
  int signal = call->signal;
  void (*handler)(int, siginfo_t *, void *) = run->action->sa_sigaction;
  end.ours = cph_handler_mask_enter(&run->mask, &call->place);
  // The kernel blocks the signal while its handler of ours runs. Behind the program's, what was sent comes at once.
  if (!(run->mask.interrupted & CGR_SIGNAL_BIT(signal))) end.ours &= ~CGR_SIGNAL_BIT(signal);
  // All three, whatever the flags: so the kernel does on x86-64.
  handler(signal, info, context);
  end_handler(&end, context);
}

static cph_place_found run_handler(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action,
                                   const ck_last_signs *signs) {
  ck_handler_call *outer = interrupted_call(context);
  long process = cgr_process_id();
  handler_run run = {.call = {CALL_MAGIC, outer, signal, info, context, signs, process, {0}}, .action = action};
  cph_handler_place *place = &run.call.place;
  cph_place_found found = cph_handler_place_find(place, info, context, action->sa_flags);
  if (found != CPH_PLACE_FOUND) return found;
  if (action->sa_flags & (int)SA_RESETHAND) cph_signal_reset_program_action(signal);
  // SIGABRT comes from abort() or a runtime, which opens it by a system call of its own: it is blocked in earnest.
  uint64_t blocks = *(const uint64_t *)&action->sa_mask;
  run.mask = cph_handler_mask_begin(place, context, signal, action->sa_flags, blocks);
  current_call = &run.call;
  cph_handler_place_call(place, info, context, call_handler, &run);
  return CPH_PLACE_FOUND;
}

// A fault as it was before its handler ran.
typedef struct fault_before {
  ck_registers registers;
  unsigned times;  // that it has come so, in a row
  ck_refused_access refused;
  bool looks;  // only the place can show whether something was repaired
  fault_place place;
} fault_before;

static void note_before(fault_before *before, int signal, const siginfo_t *info, const ucontext_t *context) {
  ck_registers_read(&before->registers, context);
  before->times = info->si_code > 0 ? note_fault(signal, info, &before->registers) : 0;
  before->refused = ck_refused_access_of(info, context);
  before->looks = before->times > 2 && before->refused == CK_REFUSED_UNKNOWN && !ck_can_step(context);
  if (before->looks) look_at(&before->place, (uintptr_t)info->si_addr, before->registers.values[CK_REGISTER_PC]);
}

// Whether the program undoes each repair, or the handler mends nothing, if the memory does not say so.
static bool goes_on(ucontext_t *context, const fault_before *before) {
  if (!before->looks) {
    begin_step(context);
    return true;
  }
  if (!changed(&before->place)) return may_come_back_yet();
  forget_fault();
  return true;
}

// Whether the program goes on after its handler.
static bool lives_on(int signal, const siginfo_t *info, ucontext_t *context, const fault_before *before) {
  struct sigaction now;
  cph_signal_program_action(signal, &now);
  if (now.sa_handler == SIG_DFL && is_pending(signal)) return false;
  // If the handler has raised it again, the next handler comes first.
  if (returns_to_abort(signal, info, context, &before->registers)) return is_pending(signal);
  if (before->times <= 2) return true;
  ck_registers after;
  ck_registers_read(&after, context);
  if (!same_registers(&before->registers, &after)) return true;
  // A third time in a row at the same instruction with the same registers. Either the handler mends nothing, or the
  // program undoes it each time.
  if (before->refused == CK_REFUSED_UNKNOWN) return goes_on(context, before);
  if (!ck_access_is_possible(before->refused, (uintptr_t)info->si_addr)) return may_be_repaired_yet(signal);
  forget_fault();
  return true;
}

ck_handler_outcome ck_run_program_handler(int signal, siginfo_t *info, ucontext_t *context,
                                          const struct sigaction *action, const ck_last_signs *signs) {
  bool led_here = last_fault.stepped_into_it;
  last_fault.stepped_into_it = false;
  fault_before before;
  note_before(&before, signal, info, context);
  // One step was made after the last return, and it led to the same fault: again and again, if nothing repairs it.
  if (led_here && before.times > 1 && !may_come_back_yet()) return CK_HANDLER_DIES;
  cph_place_found found = run_handler(signal, info, context, action, signs);
  if (found != CPH_PLACE_FOUND) return found == CPH_PLACE_UNREACHABLE ? CK_HANDLER_HAS_NO_ROOM : CK_HANDLER_DIES;
  return lives_on(signal, info, context, &before) ? CK_HANDLER_LIVES_ON : CK_HANDLER_DIES;
}
