// Reads of this process's memory that cannot fault. System calls only.

#include "CGround/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/uio.h>

#include "CGround/own_ids.h"
#include "CGround/refusals.h"
#include "CGround/resident_pages.h"
#include "CGround/syscalls.h"

static _Atomic bool vm_readv_refused;

// Without a descriptor to be had: the kernel reads a signal mask from the address before it finds that what is to be
// done with it makes no sense, and answers EFAULT if it could not. Word by word, and none beyond the last whole one.
// Between the answer and the read another thread may take the memory away: readers are guarded.
static size_t read_after_asking(uint64_t address, void *out, size_t size) {
  size_t done = 0;
  for (; done < size; ++done) {
    uint64_t at = address + done;
    bool asked = done > 0 && at % 8 != 0;
    if (at < 8) break;  // a null pointer would mean no mask
    if (!asked && cgr_syscall4(SYS_rt_sigprocmask, -1, at & ~(uint64_t)7, NULL, 8) == -EFAULT) break;
    ((uint8_t *)out)[done] = *(const volatile uint8_t *)(uintptr_t)at;
  }
  return done;
}

// A pipe takes only whole buffers of readable memory: the kernel answers EFAULT where a read would have faulted.
static size_t read_through_pipe(uint64_t address, void *out, size_t size) {
  int ends[2];
  if (cgr_syscall2(SYS_pipe2, ends, O_CLOEXEC | O_NONBLOCK) < 0) return read_after_asking(address, out, size);
  size_t done = 0;
  while (done < size) {
    // Never across a page: what lies before an unreadable page is still had.
    size_t part = 4096 - ((address + done) & 4095);
    if (part > size - done) part = size - done;
    long written = cgr_syscall3(SYS_write, ends[1], address + done, part);
    if (written <= 0) break;
    long got = cgr_syscall3(SYS_read, ends[0], (uint8_t *)out + done, written);
    if (got <= 0) break;
    done += (size_t)got;
  }
  cgr_syscall1(SYS_close, ends[0]);
  cgr_syscall1(SYS_close, ends[1]);
  return done;
}

bool cgr_word_peek(uint64_t address, uint64_t *word) {
  if (cgr_reads_only_resident()) return cgr_memory_read(address, word, sizeof *word) == sizeof *word;
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  bool is_read = address % 8 == 0 && read_after_asking(address, word, sizeof *word) == sizeof *word;
  CGR_REFUSALS_END(outer);
  return is_read;
}

size_t cgr_memory_read(uint64_t address, void *out, size_t size) {
  struct iovec from = {.iov_base = (void *)(uintptr_t)address, .iov_len = size};
  return cgr_memory_read_pieces(&from, 1, out, size);
}

static size_t read_pieces(const struct iovec *from, size_t count, void *out, size_t size) {
  if (!atomic_load_explicit(&vm_readv_refused, memory_order_relaxed)) {
    struct iovec to = {.iov_base = out, .iov_len = size};
    // Asked each time: a kept process id would read the parent's memory after a bare fork system call.
    long self = cgr_process_id();
    long got = cgr_syscall6(SYS_process_vm_readv, self, (long)&to, 1, (long)from, (long)count, 0);
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

// Up to the first page that would have to be waited for.
static size_t read_present(const struct iovec *from, size_t count, void *out) {
  size_t done = 0;
  for (size_t i = 0; i < count; ++i) {
    struct iovec piece = {from[i].iov_base, cgr_resident_size((uintptr_t)from[i].iov_base, from[i].iov_len)};
    size_t got = piece.iov_len == 0 ? 0 : read_pieces(&piece, 1, (uint8_t *)out + done, piece.iov_len);
    done += got;
    if (got < from[i].iov_len) break;
  }
  return done;
}

size_t cgr_memory_read_pieces(const struct iovec *from, size_t count, void *out, size_t size) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  size_t got = cgr_reads_only_resident() ? read_present(from, count, out) : read_pieces(from, count, out, size);
  CGR_REFUSALS_END(outer);
  return got;
}

enum { TEXT_PIECE = 64 };

size_t cgr_memory_read_text(uint64_t address, char *out, size_t size) {
  for (size_t length = 0; length < size;) {
    size_t piece = size - length < TEXT_PIECE ? size - length : TEXT_PIECE;
    size_t end = length + cgr_memory_read(address + length, out + length, piece);
    bool is_short = end - length < piece;
    for (; length < end; ++length)
      if (out[length] == 0) return length;
    if (is_short) return length;
  }
  return size;
}

// The compiler makes calls of these out of copies of structures. They are bound here, not in a handler.
static void bind_functions(void) {
  static volatile size_t size = sizeof(uint64_t);
  uint64_t from = 1, to;
  memset(&to, 0, size);
  memcpy(&to, &from, size);
  memmove(&to, &from, size);
}

void cgr_memory_prepare(void) {
  bind_functions();
  cgr_resident_prepare();
  uint64_t probe = 1, copy = 0;
  cgr_memory_read((uintptr_t)&probe, &copy, sizeof copy);
}
