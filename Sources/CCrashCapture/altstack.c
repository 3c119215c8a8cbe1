// Alternate signal stacks. Those of ended threads are kept for the next ones, so that a thread's start costs one
// system call.

#include "altstack.h"

#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <unistd.h>

#include "syscalls.h"

/// Room for the capture and for a handler of the program's own; pages that are never used cost address space only.
#define STACK_BYTES (128 * 1024)
/// A stack smaller than this, set up by somebody else before us, is replaced by ours at install.
#define SMALL_STACK_BYTES (64 * 1024)
#define KEPT_MAX 64

static void *kept[KEPT_MAX];
static int kept_count;
static atomic_flag busy = ATOMIC_FLAG_INIT;

// The calling thread's own mapping.
static _Thread_local __attribute__((tls_model("initial-exec"))) void *own_mapping;

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) ck_syscall0(SYS_sched_yield);
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

static size_t page_size(void) { return (size_t)getauxval(AT_PAGESZ); }

static size_t mapping_size(void) {
  size_t least = (size_t)getauxval(AT_MINSIGSTKSZ);
  size_t page = page_size();
  return page + (STACK_BYTES + least + page - 1) / page * page;
}

static void *take(void) {
  lock();
  void *mapping = kept_count > 0 ? kept[--kept_count] : NULL;
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

bool ck_altstack_attach(bool replace_small) {
  if (own_mapping) return true;
  stack_t current;
  bool has_one = sigaltstack(NULL, &current) == 0 && !(current.ss_flags & SS_DISABLE);
  if (has_one && !(replace_small && current.ss_size < SMALL_STACK_BYTES)) return true;
  void *mapping = take();
  if (!mapping) return has_one;
  stack_t stack = {.ss_sp = (uint8_t *)mapping + page_size(), .ss_size = mapping_size() - page_size()};
  if (sigaltstack(&stack, NULL) != 0) {
    give_back(mapping);
    return has_one;
  }
  own_mapping = mapping;
  return true;
}

void ck_altstack_detach(void) {
  void *mapping = own_mapping;
  if (!mapping) return;
  own_mapping = NULL;
  // A stack that the program put in its place since stays the program's.
  stack_t current;
  if (sigaltstack(NULL, &current) == 0 && current.ss_sp == (uint8_t *)mapping + page_size()) {
    stack_t none = {.ss_flags = SS_DISABLE};
    // A handler that ends its thread is still running on it: it is then lost rather than pulled away.
    if (sigaltstack(&none, NULL) != 0) return;
  }
  give_back(mapping);
}

void ck_altstack_after_fork(void) { atomic_flag_clear(&busy); }
