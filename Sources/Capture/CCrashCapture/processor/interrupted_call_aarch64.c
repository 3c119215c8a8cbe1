// aarch64: the kernel overwrites the first argument with the result, so the argument is lost.
#if defined(__aarch64__)

#include "processor/interrupted_call.h"

#include <errno.h>

#include "CGround/memory.h"
#include "processor/registers.h"

ck_broken_call ck_restart_interrupted_call(ucontext_t *context) {
  bool ends = (long)context->uc_mcontext.regs[0] == -EINTR && ck_interrupted_system_call(context->uc_mcontext.pc);
  return ends ? CK_CALL_ENDS : CK_CALL_NONE;
}

long ck_interrupted_call_number(const ucontext_t *context) {
  uint32_t next = 0;
  cgr_memory_read(context->uc_mcontext.pc, &next, sizeof next);
  bool is_made_again = next == 0xd4000001;  // svc #0
  return is_made_again ? (long)context->uc_mcontext.regs[8] : -1;
}

#endif
