// A Mutex of Synchronization is a priority-inheriting futex, whose word holds its owner's thread id. The kernel refuses
// (EDEADLK) a wait that would never end: the thread holds the Mutex itself, or its owner waits for this very thread.
// The runtime takes both for recursion. System calls only.

#include "report/mutex_cause.h"

#include <linux/futex.h>

#include "CGround/memory.h"
#include "CGround/syscalls.h"

bool ck_is_mutex_trap(const cgr_text *message) {
  static const char said[] = "Recursive call to lock Mutex";
  size_t length = sizeof said - 1;
  for (size_t at = 0; at + length <= message->size; ++at)
    if (cgr_starts_with(message->bytes + at, said)) return true;
  return false;
}

// _MutexHandle._lockSlow has the word's address as its self. A word that names a thread of this process is taken to be
// it.
static int owner_of_mutex(const ck_fault *fault) {
  uint32_t word;
  uint64_t address = fault->registers.values[CK_REGISTER_SWIFT_SELF];
  if (cgr_memory_read(address, &word, sizeof word) != sizeof word) return 0;
  int owner = (int)(word & FUTEX_TID_MASK);
  bool exists = owner != 0 && cgr_syscall3(SYS_tgkill, cgr_syscall0(SYS_getpid), owner, 0) == 0;
  return exists ? owner : 0;
}

term_cause ck_mutex_cause(const ck_fault *fault, int *owner) {
  *owner = owner_of_mutex(fault);
  if (*owner == 0) return TERM_CAUSE_mutexDeadlock;
  return *owner == (int)cgr_syscall0(SYS_gettid) ? TERM_CAUSE_mutexRecursion : TERM_CAUSE_mutexCycle;
}
