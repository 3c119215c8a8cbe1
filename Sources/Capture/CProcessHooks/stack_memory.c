// Mappings for the threads' signal stacks. The spin lock is held for memory accesses only: a signal that comes
// meanwhile must not find it taken for long.

#include "stack_memory.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "CGround/syscalls.h"

#define KEPT_MAX 64
/// One bit for each thread that shares a mapping.
#define SHARERS 64
#define SHARED_MAX 1024

typedef struct shared_mapping {
  uint8_t *first;  // of its threads; NULL: there is no mapping
  uint64_t taken;
} shared_mapping;

static size_t page, size;
static uint8_t *guard;
static atomic_flag busy = ATOMIC_FLAG_INIT;
static uint8_t *kept[KEPT_MAX];
static unsigned kept_count, guarded_count;
static shared_mapping shared[SHARED_MAX];
static unsigned shared_end;  // behind the last one there is
static unsigned first_free;  // none before it has room

static void lock(void) {
  while (atomic_flag_test_and_set_explicit(&busy, memory_order_acquire)) cgr_syscall0(SYS_sched_yield);
}

static void unlock(void) { atomic_flag_clear_explicit(&busy, memory_order_release); }

void cph_stack_memory_after_fork(void) { atomic_flag_clear(&busy); }

// Between two guards. The upper one is for what runs off a stack of the program's that lies above.
static uint8_t *map(size_t bytes) {
  uint8_t *mapping = mmap(NULL, page + bytes + page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return NULL;
  if (mprotect(mapping + page, bytes, PROT_READ | PROT_WRITE) == 0) return mapping + page;
  munmap(mapping, page + bytes + page);
  return NULL;
}

static void unmap(uint8_t *memory, size_t bytes) { munmap(memory - page, page + bytes + page); }

bool cph_stack_memory_prepare(size_t wanted) {
  page = (size_t)getauxval(AT_PAGESZ);
  size = wanted;
  if (guard) return true;
  void *mapping = mmap(NULL, page, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED) return false;
  guard = mapping;
  return true;
}

size_t cph_stack_memory_size(void) { return size; }

uintptr_t cph_stack_memory_guard(void) { return (uintptr_t)guard; }

static uint8_t *take_kept(bool *may_be_guarded) {
  lock();
  uint8_t *memory = kept_count > 0 ? kept[--kept_count] : NULL;
  *may_be_guarded = !memory && guarded_count < CPH_GUARDED_THREADS;
  if (*may_be_guarded) ++guarded_count;
  unlock();
  return memory;
}

static uint8_t *take_of(shared_mapping *mapping) {
  unsigned place = (unsigned)__builtin_ctzll(~mapping->taken);
  mapping->taken |= 1ull << place;
  return mapping->first + place * size;
}

static uint8_t *take_shared(void) {
  lock();
  while (first_free < shared_end && (!shared[first_free].first || shared[first_free].taken == UINT64_MAX)) ++first_free;
  uint8_t *memory = first_free < shared_end ? take_of(&shared[first_free]) : NULL;
  unlock();
  return memory;
}

static uint8_t *take_of_new(void) {
  uint8_t *first = map(SHARERS * size), *memory = NULL;
  if (!first) return NULL;
  lock();
  unsigned place = 0;
  while (place < SHARED_MAX && shared[place].first) ++place;
  if (place < SHARED_MAX) {
    shared[place] = (shared_mapping){.first = first};
    if (place >= shared_end) shared_end = place + 1;
    if (place < first_free) first_free = place;
    memory = take_of(&shared[place]);
  }
  unlock();
  if (!memory) unmap(first, SHARERS * size);
  return memory;
}

uint8_t *cph_stack_memory_take(void) {
  bool may_be_guarded;
  uint8_t *memory = take_kept(&may_be_guarded);
  if (memory) return memory;
  if (!may_be_guarded) {
    if ((memory = take_shared()) || (memory = take_of_new())) return memory;
    // There may be room for one more.
    lock();
    ++guarded_count;
    unlock();
  }
  memory = map(size);
  if (memory) return memory;
  lock();
  --guarded_count;
  unlock();
  return NULL;
}

// NULL if the memory is guarded.
static shared_mapping *mapping_of(const uint8_t *memory) {
  shared_mapping *found = NULL;
  lock();
  for (unsigned i = 0; i < shared_end && !found; ++i)
    if (shared[i].first && memory >= shared[i].first && memory < shared[i].first + SHARERS * size) found = &shared[i];
  unlock();
  return found;
}

// The last thread's goes with the mapping.
static void give_back_shared(shared_mapping *mapping, uint8_t *memory) {
  madvise(memory, size, MADV_DONTNEED);
  uint8_t *first = NULL;
  lock();
  mapping->taken &= ~(1ull << (size_t)(memory - mapping->first) / size);
  if (mapping->taken == 0) {
    first = mapping->first;
    mapping->first = NULL;
  } else if ((unsigned)(mapping - shared) < first_free) {
    first_free = (unsigned)(mapping - shared);
  }
  unlock();
  if (first) unmap(first, SHARERS * size);
}

static void give_back_guarded(uint8_t *memory) {
  lock();
  bool keeps = kept_count < KEPT_MAX;
  if (keeps)
    kept[kept_count++] = memory;
  else
    --guarded_count;
  unlock();
  if (!keeps) unmap(memory, size);
}

void cph_stack_memory_give_back(uint8_t *memory) {
  shared_mapping *mapping = mapping_of(memory);
  if (mapping)
    give_back_shared(mapping, memory);
  else
    give_back_guarded(memory);
}
