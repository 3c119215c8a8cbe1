// Which pages of this process are in memory. System calls only, but for cgr_resident_prepare.

#include "CGround/resident_pages.h"

#include <errno.h>
#include <stdatomic.h>
#include <sys/auxv.h>

#include "CGround/syscalls.h"

#define PAGES_AT_ONCE 64

static uint64_t page_bytes = 4096;
static _Atomic bool only_resident;

void cgr_resident_prepare(void) {
  unsigned long bytes = getauxval(AT_PAGESZ);
  if (bytes > 0) page_bytes = bytes;
}

void cgr_read_only_resident(bool only) { atomic_store(&only_resident, only); }

bool cgr_reads_only_resident(void) { return atomic_load_explicit(&only_resident, memory_order_relaxed); }

size_t cgr_resident_size(uint64_t address, size_t size) {
  uint64_t at = address & ~(page_bytes - 1), end = address + size, most = PAGES_AT_ONCE;
  while (at < end) {
    uint8_t pages[PAGES_AT_ONCE] = {0};
    uint64_t left = (end - at + page_bytes - 1) / page_bytes, count = left < most ? left : most;
    long result = cgr_syscall3(SYS_mincore, at, count * page_bytes, pages);
    if (result == -ENOMEM && count > 1) {
      // Of pages beyond the end of all memory the kernel answers nothing. A stack may end there.
      most = 1;
      continue;
    }
    if (result < 0 && result != -ENOMEM) return size;
    for (uint64_t i = 0; i < count; ++i, at += page_bytes)
      if (!(pages[i] & 1)) return at > address ? at - address : 0;
  }
  return size;
}
