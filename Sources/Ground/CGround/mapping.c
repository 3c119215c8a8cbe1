// Memory with a guard above it. System calls only.

#include "CGround/mapping.h"

#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "CGround/syscalls.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

// The linker's: where the file's header and the end of the data are, of the library or the executable that has this.
extern const char linked_start __asm__("__ehdr_start") __attribute__((visibility("hidden")));
extern const char linked_end __asm__("_end") __attribute__((visibility("hidden")));

long cgr_map_apart(size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  long memory = cgr_syscall6(SYS_mmap, 0, (long)(size + CGR_GUARD_BYTES), PROT_NONE, flags, -1, 0);
  if (cgr_syscall_failed(memory)) return memory;
  long result = cgr_syscall3(SYS_mprotect, memory, (long)size, PROT_READ | PROT_WRITE);
  if (!cgr_syscall_failed(result)) return memory;
  cgr_syscall2(SYS_munmap, memory, (long)(size + CGR_GUARD_BYTES));
  return result;
}

void cgr_unmap_apart(void *memory, size_t size) { cgr_syscall2(SYS_munmap, memory, (long)(size + CGR_GUARD_BYTES)); }

void cgr_guard_library_end(void) {
  // The program's headers follow its file's header at once.
  uintptr_t headers = getauxval(AT_PHDR), start = (uintptr_t)&linked_start;
  if (headers - start < 4096) return;
  uintptr_t page = getauxval(AT_PAGESZ), end = ((uintptr_t)&linked_end + page - 1) & ~(page - 1);
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  for (size_t size = CGR_GUARD_BYTES; size >= page; size /= 2) {
    long memory = cgr_syscall6(SYS_mmap, (long)end, (long)size, PROT_NONE, flags, -1, 0);
    if ((uintptr_t)memory == end) return;
    // A kernel before 4.17 takes the address as a wish.
    if (!cgr_syscall_failed(memory)) cgr_syscall2(SYS_munmap, memory, (long)size);
  }
}
