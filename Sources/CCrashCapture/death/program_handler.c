// Running the program's own handlers and telling what they did. System calls and memory reads that cannot fault.

#include "death/program_handler.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <stdlib.h>

#include "CProcessHooks.h"
#include "processor/maps.h"
#include "CGround/memory.h"
#include "processor/registers.h"
#include "CGround/syscalls.h"

#define CALL_MAGIC 0x636b636861696eull
/// Handlers that nest are let go on as long as this much of their stack is left.
#define STACK_LEFT_BYTES (12 * 1024)

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))
static _Thread_local INITIAL_EXEC ck_handler_call *current_call;

/// The last fault of a thread whose handler returned: to tell a repair from a fault that comes back.
static _Thread_local INITIAL_EXEC struct {
  int signal;
  unsigned times;
  bool stepping;
  uint64_t address;
  ck_registers registers;
} last_fault;

static struct {
  uint64_t start, end;
} abort_code;

// --- Which handler we are in -----------------------------------------------------------------------------------

// Thread-local words lie next to the stack, and what overran that may have written over them.
static bool is_sound(const ck_handler_call *call) {
  ck_handler_call copy;
  return ck_memory_read((uintptr_t)call, &copy, sizeof copy) == sizeof copy && copy.magic == CALL_MAGIC;
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
  return running_call(cph_context_stack_pointer(context), *(const uint64_t *)&context->uc_sigmask);
}

const ck_handler_call *ck_outermost_handler(uintptr_t stack_pointer, uint64_t mask) {
  const ck_handler_call *call = running_call(stack_pointer, mask);
  for (int i = 0; i < CALLS_MAX && call && call->outer && is_sound(call->outer); ++i) call = call->outer;
  return call;
}

// At the place that the signal came to.
static uint64_t shown_as_blocked(const ucontext_t *context) {
  return cph_masks_shown(cph_context_stack_pointer(context), *(const uint64_t *)&context->uc_sigmask);
}

// A stack that the program gave the kernel by a system call of its own.
static bool is_nearly_used_up(const ucontext_t *context) {
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  bool foreign = cph_signal_stack_part_at(here) < 0 && cph_stack_holds(&context->uc_stack, here);
  return foreign && here - (uintptr_t)context->uc_stack.ss_sp <= STACK_LEFT_BYTES;
}

bool ck_handler_may_run(int signal, const siginfo_t *info, const ucontext_t *context) {
  if (info->si_code > 0 && shown_as_blocked(context) & CPH_SIGNAL_BIT(signal)) return false;
  return !(interrupted_call(context) && is_nearly_used_up(context));
}

bool ck_handler_holds(int signal, const siginfo_t *info, ucontext_t *context) {
  uint64_t bit = CPH_SIGNAL_BIT(signal);
  if (info->si_code > 0 || !(shown_as_blocked(context) & bit)) return false;
  *(uint64_t *)&context->uc_sigmask |= bit;
  ck_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &bit, NULL, 8);
  cph_masks_note_held(bit);
  long process = ck_syscall0(SYS_getpid);
  // Sent to the process, it is for whichever thread has it open. What a handler sends for its own end stays with it.
  bool to_thread = info->si_code == SI_TKILL || interrupted_call(context);
  if (to_thread || ck_syscall3(SYS_rt_sigqueueinfo, process, signal, info) < 0)
    ck_syscall4(SYS_rt_tgsigqueueinfo, process, ck_syscall0(SYS_gettid), signal, info);
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
  ck_copy(&last_fault.registers, registers, sizeof *registers);
  return last_fault.times = 1;
}

bool ck_is_own_step(int signal, const siginfo_t *info, ucontext_t *context) {
  if (!last_fault.stepping) return false;
  // Off again, whatever came first.
  ck_context_step(context, false);
  if (signal != SIGTRAP || info->si_code != TRAP_TRACE) return false;
  last_fault.stepping = false;
  last_fault.times = 0;
  last_fault.signal = 0;
  return true;
}

static bool changed(const ck_map_query *before) {
  ck_map_query after = {.address = before->address};
  ck_maps_query(&after, 1);
  const ck_mapping *a = &before->at, *b = &after.at;
  return a->found != b->found || a->readable != b->readable || a->writable != b->writable
         || a->executable != b->executable;
}

static bool is_pending(int signal) {
  uint64_t pending = 0;
  ck_syscall2(SYS_rt_sigpending, &pending, 8);
  return pending >> (signal - 1) & 1;
}

// Whether what sent SIGABRT is abort(), which does not take a handler's return for an answer: it goes on to the default
// action by itself, past sigaction. Its frame lies a few words up the stack, under those of raise.
static bool called_by_abort(const ucontext_t *context) {
  uint64_t words[64];
  ck_registers registers;
  ck_registers_read(&registers, context);
  size_t got = ck_memory_read(registers.values[CK_REGISTER_SP], words, sizeof words) / sizeof *words;
  for (size_t i = 0; i < got; ++i)
    if (words[i] > abort_code.start && words[i] < abort_code.end) return true;
  return false;
}

typedef struct handler_run {
  ck_handler_call call;
  const struct sigaction *action;
  uint64_t mask, added, given;  // the handler's, and what the interrupted mask gained, and became
  cph_mask_scope outer_scope;
} handler_run;

// On the handler's own stack, which may have no room but for the handler.
static void call_handler(void *argument) {
  handler_run *run = argument;
  ck_handler_call *call = &run->call;
  uint64_t ours;
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &run->mask, &ours, 8);
  if (run->action->sa_flags & SA_SIGINFO)
    run->action->sa_sigaction(call->signal, call->info, call->context);
  else
    run->action->sa_handler(call->signal);
  current_call = call->outer;
  cph_mask_scope_end(run->outer_scope);
  // A handler may block or open signals where it returns to, those of faults among them.
  uint64_t *interrupted = (uint64_t *)&call->context->uc_sigmask;
  bool changes = (*interrupted ^ run->given) & cph_masks_kept_open();
  *interrupted = changes ? cph_masks_set_at(cph_context_stack_pointer(call->context), *interrupted)
                         : *interrupted & ~run->added;
  // What was held back while the handler ran comes now; `call` is still the fault that it belongs to.
  current_call = call;
  ck_syscall4(SYS_rt_sigprocmask, SIG_SETMASK, &ours, NULL, 8);
  current_call = call->outer;
  call->magic = 0;
}

// False where the kernel could not have called it.
static bool run_handler(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action) {
  ck_handler_call *outer = interrupted_call(context);
  handler_run run = {.call = {CALL_MAGIC, outer, signal, info, context, {0}}, .action = action};
  cph_handler_place *place = &run.call.place;
  if (cph_handler_place_find(place, info, context, action->sa_flags) != CPH_PLACE_FOUND) return false;
  if (action->sa_flags & (int)SA_RESETHAND) cph_signal_reset_program_action(signal);
  uint64_t *interrupted = (uint64_t *)&context->uc_sigmask;
  uint64_t own = action->sa_flags & SA_NODEFER ? 0 : CPH_SIGNAL_BIT(signal);
  uint64_t blocks = *(const uint64_t *)&action->sa_mask | own;
  // Those of faults stay open: one inside the handler would be a death without a report. SIGABRT comes from abort() or
  // a runtime, which opens it by a system call of its own: it is blocked in earnest.
  uint64_t open = cph_masks_kept_open();
  uint64_t shown_before = shown_as_blocked(context), shown = shown_before | (blocks & open);
  place->mark = shown ? cph_mask_mark(*interrupted) : 0;
  shown |= blocks & place->mark;
  run.mask = *interrupted | (blocks & ~open) | place->mark;
  run.added = shown_before & ~*interrupted;
  run.given = *interrupted |= run.added;
  current_call = &run.call;
  run.outer_scope = cph_mask_scope_begin((cph_mask_scope){shown, place->low, place->high, place->mark});
  cph_handler_place_call(place, context, call_handler, &run);
  return true;
}

bool ck_run_program_handler(int signal, siginfo_t *info, ucontext_t *context, const struct sigaction *action) {
  bool by_processor = info->si_code > 0;
  ck_registers before, after;
  ck_registers_read(&before, context);
  unsigned times = by_processor ? note_fault(signal, info, &before) : 0;
  // One step was made after the last return, and it led to the same fault.
  if (last_fault.stepping && by_processor) {
    last_fault.stepping = false;
    if (times > 1) return false;
  }
  // Where one step cannot be made, what the maps say has to do.
  bool look = times > 2 && !ck_can_step(context);
  ck_map_query map_before = {.address = (uintptr_t)info->si_addr};
  if (look) ck_maps_query(&map_before, 1);
  if (!run_handler(signal, info, context, action)) return false;

  struct sigaction now;
  cph_signal_program_action(signal, &now);
  if (now.sa_handler == SIG_DFL && is_pending(signal)) return false;
  if (signal == SIGABRT && info->si_code == SI_TKILL && called_by_abort(context)) return false;
  if (times <= 2) return true;
  ck_registers_read(&after, context);
  if (!same_registers(&before, &after)) return true;
  // A third time in a row at the same instruction with the same registers. Either the handler mends nothing, or the
  // program undoes it each time: one step forward tells.
  if (look) return changed(&map_before);
  ck_context_step(context, true);
  last_fault.stepping = true;
  return true;
}

void ck_program_handler_prepare(void) {
  void *found = dlsym(RTLD_NEXT, "abort");
  Dl_info library;
  const ElfW(Sym) *symbol = NULL;
  if (!found || !dladdr1(found, &library, (void **)&symbol, RTLD_DL_SYMENT) || !symbol) return;
  abort_code.start = (uintptr_t)found;
  abort_code.end = abort_code.start + symbol->st_size;
}
