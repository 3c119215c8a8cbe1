// The mask in force while a call waits with a mask of its own. No system calls on x86-64, and rt_sigprocmask elsewhere.

#include "wait_masks.h"

#include <errno.h>
#include <stdbool.h>

#include "process_masks.h"
#include "CGround/memory.h"
#include "CGround/signals.h"
#include "CGround/stack_switch.h"

static _Thread_local CPH_INITIAL_EXEC cph_wait_mask under_way;

// How far below the interposed function libc's makes its system call.
#define CALL_REACH_BYTES (16 * 1024)

cph_wait_mask cph_wait_mask_begin(cph_wait_mask call) {
  cph_wait_mask before = under_way;
  call.mask &= ~CPH_NEVER_BLOCKED;
  under_way = call;
  return before;
}

void cph_wait_mask_end(cph_wait_mask before) { under_way = before; }

// The thread is right behind a system call that answers EINTR.
#if defined(__x86_64__)

// The instruction leaves in rcx the address behind it.
static bool broke_off_a_call(const ucontext_t *context) {
  const greg_t *registers = context->uc_mcontext.gregs;
  return registers[REG_RAX] == -EINTR && registers[REG_RCX] == registers[REG_RIP];
}

#else

static bool broke_off_a_call(const ucontext_t *context) {
  uint64_t call = context->uc_mcontext.pc - 4, words;
  if ((long)context->uc_mcontext.regs[0] != -EINTR || !cgr_word_peek(call & ~7ull, &words)) return false;
  return (uint32_t)(words >> call % 8 * 8) == 0xd4000001;  // svc #0
}

#endif

cph_wait_mask cph_wait_mask_take(int signal, const ucontext_t *context) {
  const cph_wait_mask wait = under_way;
  uintptr_t stack_pointer = cgr_context_stack_pointer(context);
  bool is_inside = stack_pointer < wait.frame && wait.frame - stack_pointer <= CALL_REACH_BYTES;
  // What the wait blocks comes before it or behind it.
  if (!is_inside || wait.mask & CGR_SIGNAL_BIT(signal) || !broke_off_a_call(context))
    return (cph_wait_mask){.mask = *(const uint64_t *)&context->uc_sigmask};
  under_way = (cph_wait_mask){0};
  return wait;
}
