// The stack of the capture. System calls only, except ck_capture_stack_prepare.

#include "threads/capture_stack.h"

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

#include "CGround/mapping.h"
#include "CGround/syscalls.h"

#define STACK_BYTES (256 * 1024)

static uint8_t *stack_start;
static stack_t threads_own;

bool ck_capture_stack_prepare(void) {
  if (stack_start) return true;
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  uint8_t *memory = mmap(NULL, CGR_GUARD_BYTES + STACK_BYTES + CGR_GUARD_BYTES, PROT_NONE, flags, -1, 0);
  if (memory == MAP_FAILED || mprotect(memory + CGR_GUARD_BYTES, STACK_BYTES, PROT_READ | PROT_WRITE) != 0)
    return false;
  stack_start = memory + CGR_GUARD_BYTES;
  return true;
}

void *ck_capture_stack_top(void) { return stack_start + STACK_BYTES; }

void ck_capture_stack_enter(void) {
  stack_t stack = {.ss_sp = stack_start, .ss_size = STACK_BYTES};
  cgr_syscall2(SYS_sigaltstack, &stack, &threads_own);
}

void ck_capture_stack_leave(void) { cgr_syscall2(SYS_sigaltstack, &threads_own, NULL); }
