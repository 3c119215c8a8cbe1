// Trying an access that was refused. System calls only.

#include "death/refused_access.h"

#include <errno.h>
#include <linux/futex.h>

#include "processor/registers.h"
#include "CGround/syscalls.h"

ck_refused_access ck_refused_access_of(const siginfo_t *info, const ucontext_t *context) {
  bool by_segment = info->si_signo == SIGSEGV && (info->si_code == SEGV_MAPERR || info->si_code == SEGV_ACCERR);
  bool by_object = info->si_signo == SIGBUS && info->si_code == BUS_ADRERR;
  if (!by_segment && !by_object) return CK_REFUSED_UNKNOWN;
  ck_access access = ck_access_of_fault(context);
  if (!access.known || access.fetch) return CK_REFUSED_UNKNOWN;
  return access.write ? CK_REFUSED_WRITE : CK_REFUSED_READ;
}

// The call reads the set before it looks at how it is to be used, and refuses that.
static bool can_read(uintptr_t address) {
  return cgr_syscall4(SYS_rt_sigprocmask, -1, address & ~(uintptr_t)7, NULL, 8) != -EFAULT;
}

// The kernel adds 0 to the word in one step. It looks for threads that wait for the word only if that holds 2047, and
// such a thread has to expect to be woken for nothing.
static bool can_write(uintptr_t address) {
  uint32_t own = 0;
  long call = FUTEX_WAKE_OP | FUTEX_PRIVATE_FLAG, operation = FUTEX_OP(FUTEX_OP_ADD, 0, FUTEX_OP_CMP_EQ, 2047);
  long word = (long)(address & ~(uintptr_t)3);
  return cgr_syscall6(SYS_futex, (long)&own, call, 1, 0, word, operation) != -EFAULT;
}

bool ck_access_is_possible(ck_refused_access refused, uintptr_t address) {
  return refused == CK_REFUSED_WRITE ? can_write(address) : can_read(address);
}
