// The calling thread's stack by frame pointers, for rules that Swift code states: Swift keeps them in every function.
// System calls only: memory at a frame pointer is read by calls that cannot fault.

#include "own_stack.h"

#include <stdbool.h>
#include <sys/uio.h>

#include "CGround/return_address.h"
#include "CGround/syscalls.h"

// Swift's async functions mark their frames in bits above every address.
#define ADDRESS_BITS (((uintptr_t)1 << 56) - 1)
// A frame is rarely larger; a pointer beyond that is none.
#define FRAME_MAX (1u << 20)

__attribute__((noinline)) size_t ctg_own_stack(uintptr_t *addresses, size_t capacity) {
  long process = cgr_syscall0(SYS_getpid);
  uintptr_t frame = (uintptr_t)__builtin_frame_address(0);
  size_t count = 0;
  for (bool callers = false; count < capacity; callers = true) {
    uintptr_t record[2];
    struct iovec to = {record, sizeof record}, from = {(void *)frame, sizeof record};
    if (cgr_syscall6(SYS_process_vm_readv, process, (long)&to, 1, (long)&from, 1, 0) != sizeof record) break;
    if (record[1] == 0) break;
    if (callers) addresses[count++] = cgr_without_signature(record[1]);
    record[0] &= ADDRESS_BITS;
    if (record[0] <= frame || record[0] - frame > FRAME_MAX || record[0] % sizeof(uintptr_t) != 0) break;
    frame = record[0];
  }
  return count;
}
