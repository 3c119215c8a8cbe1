// Crashes in guarded memory, with tables as the guard of allocations leaves them, and with damaged ones.

#include <sys/mman.h>

#include "CRendezvous/memory_guard.h"
#include "probe.h"

// In place of CMemoryGuard's, which would change this program's allocator.
crv_memory_guard crashkit_memory_guard;

enum { SLOT = 3, PAGES = 2 * CRV_GUARDED_SLOTS + 1, SIZE = 48 };

static crv_guarded_slot *table;

static void *set_memory_aside(size_t size, int protection) {
  void *memory = mmap(NULL, size, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  CHECK(memory != MAP_FAILED);
  return memory;
}

// So that a report shows whose it is.
static void leave_stack(crv_guarded_stack *stack, uint32_t thread) {
  stack->thread = thread;
  stack->caller = (uintptr_t)leave_stack;
  stack->size = sizeof stack->bytes;
}

// A slot whose memory was released, between two that were never used.
static char *set_table_up(void) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  char *region = set_memory_aside(PAGES * page, PROT_NONE);
  table = set_memory_aside(CRV_GUARDED_SLOTS * sizeof *table, PROT_READ | PROT_WRITE);
  crashkit_memory_guard.version = CRV_MEMORY_GUARD_VERSION;
  crashkit_memory_guard.page_size = (uint32_t)page;
  crashkit_memory_guard.end = (uintptr_t)region + PAGES * page;
  crashkit_memory_guard.slots = table;
  crashkit_memory_guard.start = (uintptr_t)region;
  crv_guarded_slot *slot = &table[SLOT];
  slot->address = (uintptr_t)region + (2 * SLOT + 2) * page - SIZE;
  slot->size = SIZE;
  leave_stack(&slot->allocated, 71);
  leave_stack(&slot->released, 72);
  crashkit_memory_guard.words[SLOT] = 8 + CRV_SLOT_RELEASED;
  return (char *)slot->address;
}

static int crash_at(char *address) {
  install_crashkit();
  store(address);
  return 1;
}

static int whole(void) { return crash_at(set_table_up() + 8); }

static int past_its_end(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.words[SLOT] = CRV_SLOT_LIVE;
  return crash_at(memory + SIZE + 5);
}

static int before_its_start(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.words[SLOT] = CRV_SLOT_LIVE;
  table[SLOT].address = ((uintptr_t)memory + SIZE) - crashkit_memory_guard.page_size;
  return crash_at((char *)table[SLOT].address - 3);
}

// Two neighbours, of which the released one is nearer.
static int beside_two(void) {
  char *memory = set_table_up();
  size_t page = crashkit_memory_guard.page_size;
  table[SLOT + 1] = table[SLOT];
  table[SLOT + 1].address += 2 * page;
  crashkit_memory_guard.words[SLOT + 1] = CRV_SLOT_LIVE;
  return crash_at(memory + SIZE + 5);
}

static int of_another_version(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.version = CRV_MEMORY_GUARD_VERSION + 1;
  return crash_at(memory);
}

static int with_strange_pages(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.page_size = 12345;
  return crash_at(memory);
}

static int without_end(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.end = crashkit_memory_guard.start - 1;
  return crash_at(memory);
}

static int without_table(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.slots = (const crv_guarded_slot *)8;
  return crash_at(memory);
}

static int of_huge_size(void) {
  char *memory = set_table_up();
  table[SLOT].size = UINT64_MAX - 7;
  return crash_at(memory);
}

static int of_strange_address(void) {
  char *memory = set_table_up();
  table[SLOT].address = 8;
  return crash_at(memory);
}

static int with_huge_stack(void) {
  char *memory = set_table_up();
  table[SLOT].allocated.size = UINT32_MAX;
  return crash_at(memory);
}

// What lies in the copy of the stack, and the registers, lead nowhere.
static int with_wild_stack(void) {
  char *memory = set_table_up();
  crv_guarded_stack *stack = &table[SLOT].allocated;
  memset(stack->bytes, 0xa5, sizeof stack->bytes);
  memset(stack->registers, 0xa5, sizeof stack->registers);
  stack->start = UINT64_MAX - 100;
  return crash_at(memory);
}

static int being_taken(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.words[SLOT] = CRV_SLOT_TAKEN;
  return crash_at(memory);
}

// As another thread releases memory twice, this one aborts for reasons of its own.
static int stopped_elsewhere(void) {
  char *memory = set_table_up();
  crashkit_memory_guard.stop_address = (uintptr_t)memory;
  crashkit_memory_guard.stop = CRV_STOP_DOUBLE_FREE;
  crashkit_memory_guard.stop_thread = (uint32_t)getpid() + 1;
  install_crashkit();
  abort();
}

const probe guarded_memory_probes[] = {
    {"guarded-whole", whole},
    {"guarded-past-its-end", past_its_end},
    {"guarded-before-its-start", before_its_start},
    {"guarded-beside-two", beside_two},
    {"guarded-of-another-version", of_another_version},
    {"guarded-with-strange-pages", with_strange_pages},
    {"guarded-without-end", without_end},
    {"guarded-without-table", without_table},
    {"guarded-of-huge-size", of_huge_size},
    {"guarded-of-strange-address", of_strange_address},
    {"guarded-with-huge-stack", with_huge_stack},
    {"guarded-with-wild-stack", with_wild_stack},
    {"guarded-being-taken", being_taken},
    {"guarded-stopped-elsewhere", stopped_elsewhere},
    {NULL, NULL},
};
