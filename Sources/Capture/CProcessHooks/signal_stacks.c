// The stacks of signals, and interposed sigaltstack.

#include "signal_stacks.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "process_threads.h"
#include "own_process.h"
#include "real_functions.h"
#include "stack_memory.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/refusals.h"
#include "CGround/syscalls.h"

static size_t first_size, part_size;  // 0 until there are stacks
static _Atomic bool gives;

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

static _Thread_local INITIAL_EXEC uint8_t *own_memory;
static _Thread_local INITIAL_EXEC stack_t programs;  // of a thread that has stacks

void cph_signal_stacks_prepare(void) {
  size_t page = (size_t)getauxval(AT_PAGESZ), least = (size_t)getauxval(AT_MINSIGSTKSZ);
  if (least < (size_t)MINSIGSTKSZ) least = (size_t)MINSIGSTKSZ;  // a kernel that does not say
  // A fault in our own handler puts a second context on the same part.
  part_size = (2 * least + CPH_HANDLER_STACK_BYTES + page - 1) / page * page;
  first_size = (part_size + CPH_UNKNOWN_HANDLER_STACK_BYTES + page - 1) / page * page;
  if (cph_stack_memory_prepare((CPH_SIGNAL_STACK_PARTS - 1) * part_size + first_size)) atomic_store(&gives, true);
}

void cph_signal_stacks_retire(void) {
  atomic_store(&gives, false);
  cph_signal_stack_detach();
}

// --- Parts: the last one is the lowest -----------------------------------------------------------------------------

// Sizes that no program chooses: they mark a stack that the kernel knows as CrashKit's.
#define UNUSED_BYTES 0x2f0
_Static_assert(CPH_SIGNAL_STACK_STATE_BYTES <= UNUSED_BYTES, "the state has its place above the first part");

stack_t cph_signal_stack_part(int part) {
  uint8_t *lowest = own_memory + (size_t)(CPH_SIGNAL_STACK_PARTS - 1 - part) * part_size;
  return (stack_t){.ss_sp = lowest, .ss_size = (part == 0 ? first_size : part_size) - UNUSED_BYTES};
}

void *cph_signal_stack_state(void) { return own_memory + cph_stack_memory_size() - UNUSED_BYTES; }

static uintptr_t below(void) { return (uintptr_t)own_memory - 16; }

uintptr_t cph_signal_stack_end(void) {
  uint64_t word;
  return cgr_word_peek(below(), &word) ? cph_stack_memory_guard() : below();
}

bool cph_signal_stack_is_end(uintptr_t address) { return address == below() || address == cph_stack_memory_guard(); }

int cph_signal_stack_part_at(uintptr_t address) {
  uintptr_t start = (uintptr_t)own_memory;
  if (!own_memory || address <= start || address > start + cph_stack_memory_size()) return -1;
  size_t index = (address - 1 - start) / part_size;
  return index >= CPH_SIGNAL_STACK_PARTS - 1 ? 0 : CPH_SIGNAL_STACK_PARTS - 1 - (int)index;
}

bool cph_stack_holds(const stack_t *stack, uintptr_t address) {
  uintptr_t start = (uintptr_t)stack->ss_sp;
  return !(stack->ss_flags & SS_DISABLE) && stack->ss_size > 0 && address > start && address - start <= stack->ss_size;
}

// --- A thread's own ------------------------------------------------------------------------------------------------

// 0 or an errno.
static int kernel_stack(const stack_t *stack, stack_t *old) { return (int)-cgr_syscall2(SYS_sigaltstack, stack, old); }

static bool is_ours(const stack_t *stack) {
  return !(stack->ss_flags & SS_DISABLE) && cph_signal_stack_part_at((uintptr_t)stack->ss_sp + 1) >= 0;
}

bool cph_signal_stack_is_one_of_ours(const stack_t *stack) {
  bool looks_ours = stack->ss_size == first_size - UNUSED_BYTES || stack->ss_size == part_size - UNUSED_BYTES;
  return part_size != 0 && looks_ours && !(stack->ss_flags & SS_DISABLE);
}

bool cph_signal_stack_is_lost(const stack_t *kernels) {
  return cph_signal_stack_is_one_of_ours(kernels) && !is_ours(kernels);
}

bool cph_signal_stack_is_attached(void) { return own_memory; }

stack_t cph_signal_stack_programs(void) { return programs; }

stack_t cph_signal_stack_enter_handler(void) {
  stack_t before = programs;
  // A child of vfork that ends in its handler would leave its parent without a stack.
  bool is_disarmed = (unsigned)programs.ss_flags & CPH_SS_AUTODISARM && cph_is_own_process();
  if (is_disarmed) programs = (stack_t){.ss_flags = SS_DISABLE};
  return before;
}

void cph_signal_stack_restore(stack_t stack) {
  // The kernel refuses what no call can set: what a first thread has that never set one.
  if (stack.ss_flags & SS_DISABLE || stack.ss_size != 0) programs = stack;
}

// As the kernel keeps it in a context: without where the thread is, and what was never set is 0 on the first thread.
static stack_t kept_form(stack_t stack) {
  bool is_first = cgr_process_id() == cgr_thread_id();
  if (stack.ss_flags & SS_DISABLE) return (stack_t){.ss_flags = is_first ? 0 : SS_DISABLE};
  stack.ss_flags &= ~SS_ONSTACK;
  return stack;
}

static bool attach(void) {
  stack_t current;
  if (!atomic_load_explicit(&gives, memory_order_acquire) || kernel_stack(NULL, &current) != 0) return false;
  if (is_ours(&current)) return true;
  uint8_t *memory = own_memory ? own_memory : cph_stack_memory_take();
  if (!memory) return false;
  bool is_new = memory != own_memory;
  own_memory = memory;
  stack_t stack = cph_signal_stack_part(0);
  if (kernel_stack(&stack, NULL) == 0) {
    programs = kept_form(current);
    return true;
  }
  if (is_new) {
    own_memory = NULL;
    cph_stack_memory_give_back(memory);
  }
  return false;
}

bool cph_signal_stack_attach(void) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  bool is_attached = attach();
  CGR_REFUSALS_END(outer);
  return is_attached;
}

void cph_signal_stack_detach(void) {
  uint8_t *memory = own_memory;
  if (!memory) return;
  stack_t current;
  bool in_place = kernel_stack(NULL, &current) == 0 && is_ours(&current);
  // For the next thread; a page that was never written stays so.
  uint64_t *state = cph_signal_stack_state();
  if (*state != 0) *state = 0;
  own_memory = NULL;
  // What the program set by a system call of its own stays. A handler that ends its thread may still run on ours, if
  // the program set it so too: the memory is then lost rather than pulled away.
  if (in_place && kernel_stack(&programs, NULL) != 0) return;
  cph_stack_memory_give_back(memory);
}

// --- The interposed function ---------------------------------------------------------------------------------------

static int set_by_program(const stack_t *wanted, bool is_on_it) {
  if (is_on_it) return EPERM;
  // The kernel says what it thinks of it.
  stack_t current;
  int error = kernel_stack(wanted, &current);
  if (error != 0) return error;
  programs = wanted->ss_flags & SS_DISABLE ? (stack_t){.ss_flags = wanted->ss_flags} : *wanted;
  stack_t ours = is_ours(&current) ? current : cph_signal_stack_part(0);
  ours.ss_flags = 0;
  return kernel_stack(&ours, NULL);
}

// What the program is shown, on a thread that has our stacks.
static stack_t shown_stack(bool is_on_it) {
  stack_t stack = programs;
  stack.ss_flags = (int)((unsigned)programs.ss_flags & CPH_SS_AUTODISARM);
  stack.ss_flags |= programs.ss_size == 0 ? SS_DISABLE : is_on_it ? SS_ONSTACK : 0;
  return stack;
}

// A child that shares the memory has an alternate stack of its own in the kernel, and only there: until it sets one,
// its parent's. 0 or an errno.
static int answer_child(const stack_t *wanted, stack_t *old, uintptr_t stack_pointer) {
  int error = kernel_stack(NULL, old);
  if (error != 0 || !is_ours(old)) return error != 0 ? error : kernel_stack(wanted, old);
  bool is_on_it = cph_stack_holds(&programs, stack_pointer);
  bool is_disarmed = is_on_it && (unsigned)programs.ss_flags & CPH_SS_AUTODISARM;
  *old = is_disarmed ? (stack_t){.ss_flags = SS_DISABLE} : shown_stack(is_on_it);
  if (wanted && is_on_it && !is_disarmed) return EPERM;
  return wanted ? kernel_stack(wanted, NULL) : 0;
}

void cph_signal_stack_childs_own(void) {
  stack_t current;
  if (kernel_stack(NULL, &current) != 0 || !is_ours(&current)) return;
  const stack_t none = {.ss_flags = SS_DISABLE};
  kernel_stack(programs.ss_size == 0 ? &none : &programs, NULL);
}

// The program's call on a thread that has our stacks. 0 or an errno.
static int answer_program(const stack_t *wanted, stack_t *old, uintptr_t stack_pointer) {
  bool is_on_it = cph_stack_holds(&programs, stack_pointer);
  *old = shown_stack(is_on_it);
  return wanted ? set_by_program(wanted, is_on_it) : 0;
}

// The kernel reads a mask before it finds that what is to be done with it makes no sense.
static bool is_unreadable(const stack_t *stack) {
  const char *first = (const char *)stack, *last = first + sizeof *stack - 8;
  return cgr_syscall4(SYS_rt_sigprocmask, -1, first, NULL, 8) == -EFAULT
         || cgr_syscall4(SYS_rt_sigprocmask, -1, last, NULL, 8) == -EFAULT;
}

__attribute__((visibility("default"))) int sigaltstack(const stack_t *restrict stack, stack_t *restrict old) {
  cph_thread_seen();
  // Another copy of this code may come next. A program that may not make the call is to meet its filter.
  bool is_passed_on = !own_memory || cgr_call_is_barred(SYS_sigaltstack);
  if (is_passed_on && cph_real_sigaltstack) return cph_real_sigaltstack(stack, old);
  // Read before anything is changed and written after, as the kernel does.
  stack_t wanted, before;
  if (stack && is_unreadable(stack)) {
    errno = EFAULT;
    return -1;
  }
  if (stack) wanted = *stack;
  const stack_t *given = stack ? &wanted : NULL;
  uintptr_t here = (uintptr_t)__builtin_frame_address(0);
  int error = !own_memory             ? kernel_stack(given, &before)
              : !cph_is_own_process() ? answer_child(given, &before, here)
                                      : answer_program(given, &before, here);
  if (error == 0 && old && (error = kernel_stack(NULL, old)) == 0) *old = before;
  if (error == 0) return 0;
  errno = error;
  return -1;
}
