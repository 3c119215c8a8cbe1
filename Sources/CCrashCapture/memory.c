// Reads of this process's memory that cannot fault. System calls only.

#include "memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <sys/uio.h>

#include "syscalls.h"

static _Atomic bool vm_readv_refused;

// A pipe takes only whole buffers of readable memory: the kernel answers EFAULT where a read would have faulted.
static size_t read_through_pipe(uint64_t address, void *out, size_t size) {
  int ends[2];
  if (ck_syscall2(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK) < 0) return 0;
  size_t done = 0;
  while (done < size) {
    // Never across a page: what lies before an unreadable page is still had.
    size_t part = 4096 - ((address + done) & 4095);
    if (part > size - done) part = size - done;
    long written = ck_syscall3(SYS_write, ends[1], address + done, part);
    if (written <= 0) break;
    long got = ck_syscall3(SYS_read, ends[0], (uint8_t *)out + done, written);
    if (got <= 0) break;
    done += (size_t)got;
  }
  ck_syscall1(SYS_close, ends[0]);
  ck_syscall1(SYS_close, ends[1]);
  return done;
}

size_t ck_memory_read(uint64_t address, void *out, size_t size) {
  struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
  return ck_memory_read_pieces(&from, 1, out, size);
}

size_t ck_memory_read_pieces(const struct iovec *from, size_t count, void *out, size_t size) {
  if (!atomic_load_explicit(&vm_readv_refused, memory_order_relaxed)) {
    struct iovec to = {.iov_base = out, .iov_len = size};
    // Asked each time: a kept process id would read the parent's memory after a bare fork system call.
    long self = ck_syscall0(SYS_getpid);
    long got = ck_syscall6(SYS_process_vm_readv, self, (long)&to, 1, (long)from, (long)count, 0);
    if (got >= 0) return (size_t)got;
    if (got == -EFAULT) return 0;
    atomic_store_explicit(&vm_readv_refused, true, memory_order_relaxed);
  }
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    size_t got = read_through_pipe((uintptr_t)from[i].iov_base, (uint8_t *)out + done, from[i].iov_len);
    done += got;
    if (got < from[i].iov_len) break;
  }
  return done;
}

void ck_memory_prepare(void) {
  uint64_t probe = 1, copy = 0;
  ck_memory_read((uintptr_t)&probe, &copy, sizeof copy);
}
