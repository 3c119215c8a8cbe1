// The innermost guard of each thread. No calls.

#include "processor/guard.h"

#include "CGround/syscalls.h"

CGR_OF_THREAD ck_guard *volatile ck_guard_current;

bool ck_guards_are_barred(void) {
  return cgr_call_is_barred(SYS_rt_sigprocmask) && cgr_call_is_barred(SYS_process_vm_readv);
}
