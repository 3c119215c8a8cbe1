#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

#include <errno.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

// Addresses pass through a volatile, because the compiler removes accesses that it can see to be invalid.
static volatile uintptr_t null_address = 0;
static volatile uintptr_t unmapped_address = 0x0000414141414140;
static volatile uintptr_t non_canonical_address = 0x4141414141414140;

static int writable_data = 42;

TRIGGER static int read_at(uintptr_t address) { return *(volatile int *)address; }
TRIGGER static void write_at(uintptr_t address, int value) { *(volatile int *)address = value; }
TRIGGER static void call_at(uintptr_t address) { ((void (*)(void))address)(); }

TRIGGER void crash_null_read(void) { read_at(null_address); }
TRIGGER void crash_null_offset(void) { read_at(null_address + 0x18); }
TRIGGER void crash_null_write(void) { write_at(null_address, 1); }
TRIGGER void crash_call_null(void) { call_at(null_address); }
TRIGGER void crash_wild_read(void) { read_at(unmapped_address); }
TRIGGER void crash_wild_write(void) { write_at(unmapped_address, 1); }
TRIGGER void crash_non_canonical(void) { read_at(non_canonical_address); }
// Its own code, for some linkers put Swift's constants into memory that can be written.
TRIGGER void crash_ro_page(void) { write_at((uintptr_t)crash_ro_page, 1); }
TRIGGER void crash_nx_page(void) { call_at((uintptr_t)&writable_data); }

TRIGGER void crash_bus_error(void) {
  int file = memfd_create("diagdemo", 0);
  if (file < 0 && errno == EMFILE) {
    // All descriptors are used up, and are to stay so: this file takes the place of standard input.
    close(STDIN_FILENO);
    file = memfd_create("diagdemo", 0);
  }
  if (file < 0) return;
  volatile char *page = mmap(NULL, 4096, PROT_READ, MAP_SHARED, file, 0);
  if (page != MAP_FAILED) read_at((uintptr_t)page);
}

// A page far from where the kernel looks for room, so that no other thread's memory comes to be where it was.
static char *page_far_away(int protection) {
  char *page = mmap((void *)(1ull << 44), 4096, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? NULL : page;
}

TRIGGER void crash_use_after_unmap(void) {
  char *page = page_far_away(PROT_READ | PROT_WRITE);
  if (!page) return;
  page[0] = 1;
  munmap(page, 4096);
  read_at((uintptr_t)page);
}

TRIGGER void crash_unmapped_code(void) {
  char *code = page_far_away(PROT_READ | PROT_EXEC);
  if (!code) return;
  munmap(code, 4096);
  call_at((uintptr_t)code);
}
