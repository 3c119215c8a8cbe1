// Alternate signal stacks. Those of ended threads are kept for the next ones, so that a thread's start costs one
// system call.

#include "altstack.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "CProcessHooks.h"
#include "syscalls.h"

#define KEPT_MAX 64

static void *kept[KEPT_MAX];
static int kept_count;
static atomic_flag busy = ATOMIC_FLAG_INIT;

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

// The calling thread's own mapping; and, where ours took the place of one of the program's, that one.
static _Thread_local INITIAL_EXEC uint8_t *own_mapping;
static _Thread_local INITIAL_EXEC stack_t programs;

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) ck_syscall0(SYS_sched_yield);
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static size_t page_size(void) { return (size_t)getauxval(AT_PAGESZ); }

// What the kernel puts on the stack, and what the handler uses before it changes to a stack of its own.
static size_t least_size(void) { return (size_t)getauxval(AT_MINSIGSTKSZ) + CK_HANDLER_STACK_BYTES; }

static size_t stack_size(void) {
  size_t page = page_size();
  return (least_size() + CK_PROGRAM_HANDLER_STACK_BYTES + page - 1) / page * page;
}

static size_t mapping_size(void) { return page_size() + stack_size(); }

static stack_t stack_in(uint8_t *mapping) {
  return (stack_t){.ss_sp = mapping + page_size(), .ss_size = stack_size()};
}

// 0 or an errno.
static int kernel_stack(const stack_t *stack, stack_t *old) { return (int)-ck_syscall2(SYS_sigaltstack, stack, old); }

static uint8_t *take(void) {
  lock();
  uint8_t *mapping = kept_count > 0 ? kept[--kept_count] : NULL;
  unlock();
  if (mapping) return mapping;
  mapping = mmap(NULL, mapping_size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return NULL;
  mprotect(mapping, page_size(), PROT_NONE);
  return mapping;
}

static void give_back(void *mapping) {
  lock();
  bool keep = kept_count < KEPT_MAX;
  if (keep) kept[kept_count++] = mapping;
  unlock();
  if (!keep) munmap(mapping, mapping_size());
}

static bool is_ours(const stack_t *stack) {
  return own_mapping && stack->ss_sp == own_mapping + page_size() && !(stack->ss_flags & SS_DISABLE);
}

bool ck_altstack_attach(bool replace_small) {
  stack_t current;
  bool has_one = kernel_stack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE);
  if (has_one && (is_ours(&current) || !replace_small || current.ss_size >= least_size())) return true;
  uint8_t *mapping = own_mapping ? own_mapping : take();
  if (!mapping) return has_one;
  stack_t stack = stack_in(mapping);
  if (kernel_stack(&stack, NULL) != 0) {
    if (mapping != own_mapping) give_back(mapping);
    return has_one;
  }
  own_mapping = mapping;
  if (has_one) programs = current;
  return true;
}

int ck_altstack_set_by_program(const stack_t *wanted, stack_t *old) {
  stack_t current;
  int error = kernel_stack(NULL, &current);
  if (error != 0) return error;
  bool ours = is_ours(&current);
  *old = !ours ? current : programs.ss_sp ? programs : (stack_t){.ss_flags = SS_DISABLE};
  if (!wanted) return 0;
  bool takes_away = wanted->ss_flags & SS_DISABLE;
  if (!(ours && takes_away)) error = kernel_stack(wanted, NULL);
  if (error != 0) return error;
  programs.ss_sp = NULL;
  if (takes_away && !ours) ck_altstack_attach(false);
  return 0;
}

void ck_altstack_detach(void) {
  uint8_t *mapping = own_mapping;
  if (!mapping) return;
  stack_t current;
  bool in_place = kernel_stack(NULL, &current) == 0 && is_ours(&current);
  own_mapping = NULL;
  // A stack that the program put in its place since stays the program's.
  if (in_place) {
    stack_t none = {.ss_flags = SS_DISABLE};
    // A handler that ends its thread is still running on it: it is then lost rather than pulled away.
    if (kernel_stack(&none, NULL) != 0) return;
  }
  give_back(mapping);
}

void ck_altstack_after_fork(void) { atomic_flag_clear(&busy); }
