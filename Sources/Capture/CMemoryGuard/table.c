// Slots of one page each between pages that are never accessible. Threads share them without a lock: a thread takes a
// slot with one atomic operation on the slot's word. A child of fork only loses the slots that other threads were
// using. System calls only.

#include "table.h"

#include <stdatomic.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "CGround/mapping.h"
#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "own_stack.h"
#include "published.h"
#include "stop.h"

#define PAGES (2 * CRV_GUARDED_SLOTS + 1)
#define TURN_STEP 8u
/// What malloc promises.
#define LEAST_ALIGNMENT 16u

cmg_region cmg_guarded;

static crv_guarded_slot *slots;
static _Atomic uint64_t last_turn;

static uint64_t page_size(void) { return crashkit_memory_guard.page_size; }

static uintptr_t page_of(size_t slot) { return cmg_guarded.start + (2 * slot + 1) * page_size(); }

static long set_aside(size_t size) {
  int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
  return cgr_syscall6(SYS_mmap, 0, (long)size, PROT_NONE, flags, -1, 0);
}

bool cmg_table_prepare(void) {
  cgr_guard_library_end();
  crashkit_memory_guard.page_size = (uint32_t)getauxval(AT_PAGESZ);
  size_t size = PAGES * page_size();
  long table = cgr_map_apart(CRV_GUARDED_SLOTS * sizeof *slots);
  if (cgr_syscall_failed(table)) return false;
  long region = set_aside(size);
  if (cgr_syscall_failed(region)) return false;
  slots = (crv_guarded_slot *)table;
  cmg_guarded = (cmg_region){(uintptr_t)region, size};
  crashkit_memory_guard.slots = slots;
  crashkit_memory_guard.end = (uintptr_t)region + size;
  atomic_store_explicit(&crashkit_memory_guard.start, (uintptr_t)region, memory_order_release);
  return true;
}

// --- Allocation --------------------------------------------------------------------------------------------------

static bool is_free(uint64_t word) {
  return CRV_SLOT_STATE(word) == CRV_SLOT_UNUSED || CRV_SLOT_STATE(word) == CRV_SLOT_RELEASED;
}

// The free slot that was released first. CRV_GUARDED_SLOTS if no slot is free.
static size_t oldest(uint64_t *word) {
  size_t found = CRV_GUARDED_SLOTS;
  *word = UINT64_MAX;
  for (size_t i = 0; i < CRV_GUARDED_SLOTS; ++i) {
    uint64_t at = atomic_load_explicit(&crashkit_memory_guard.words[i], memory_order_relaxed);
    if (!is_free(at) || at >= *word) continue;
    found = i;
    *word = at;
  }
  return found;
}

static uint64_t with_state(uint64_t word, unsigned state) { return word / TURN_STEP * TURN_STEP + state; }

// Another thread that comes first has the slot: then nothing is guarded this time.
static bool take(size_t slot, uint64_t word) {
  uint64_t taken = with_state(word, CRV_SLOT_TAKEN);
  return atomic_compare_exchange_strong_explicit(&crashkit_memory_guard.words[slot], &word, taken, memory_order_acquire,
                                                 memory_order_relaxed);
}

static void set_word(size_t slot, uint64_t word) {
  atomic_store_explicit(&crashkit_memory_guard.words[slot], word, memory_order_release);
}

static bool protect(size_t slot, int protection) {
  return cgr_syscall3(SYS_mprotect, page_of(slot), page_size(), protection) == 0;
}

void *cmg_table_allocate(size_t size, size_t alignment, bool side, uintptr_t caller) {
  if (alignment < LEAST_ALIGNMENT) alignment = LEAST_ALIGNMENT;
  // Memory of size 0 has an address of its own, too.
  size_t room = (size + (size == 0) + alignment - 1) & ~(alignment - 1);
  if (size > page_size() || alignment > page_size() || room > page_size()) return NULL;
  uint64_t word;
  size_t index = oldest(&word);
  if (index == CRV_GUARDED_SLOTS || !take(index, word)) return NULL;
  if (!protect(index, PROT_READ | PROT_WRITE)) {
    set_word(index, word);
    return NULL;
  }
  crv_guarded_slot *slot = &slots[index];
  slot->address = page_of(index) + (side ? 0 : page_size() - room);
  slot->size = size;
  slot->first_word = 0;
  slot->released.thread = 0;
  cmg_own_stack_copy(&slot->allocated, caller);
  set_word(index, with_state(word, CRV_SLOT_LIVE));
  return (void *)slot->address;
}

// --- Release -----------------------------------------------------------------------------------------------------

// The slot that an address in the region belongs to; of a page between two, the one before it.
static size_t slot_of(uintptr_t address) {
  size_t page = (address - cmg_guarded.start) / page_size();
  return page == 0 ? 0 : (page - 1) / 2;
}

static bool is_address_of(uintptr_t address, size_t slot) {
  return (address - cmg_guarded.start) / page_size() % 2 == 1 && slots[slot].address == address;
}

void cmg_table_release(void *address, uintptr_t caller) {
  size_t index = slot_of((uintptr_t)address);
  crv_guarded_slot *slot = &slots[index];
  uint64_t word = atomic_load_explicit(&crashkit_memory_guard.words[index], memory_order_acquire);
  if (!is_address_of((uintptr_t)address, index)) cmg_stop(CRV_STOP_INVALID_FREE, address);
  if (CRV_SLOT_STATE(word) != CRV_SLOT_LIVE
      || !atomic_compare_exchange_strong_explicit(&crashkit_memory_guard.words[index], &word,
                                                  with_state(word, CRV_SLOT_LEAVING), memory_order_acquire,
                                                  memory_order_acquire))
    cmg_stop(CRV_STOP_DOUBLE_FREE, address);
  if (slot->size >= sizeof slot->first_word) cgr_copy(&slot->first_word, address, sizeof slot->first_word);
  cmg_own_stack_copy(&slot->released, caller);
  protect(index, PROT_NONE);
  cgr_syscall3(SYS_madvise, page_of(index), page_size(), MADV_DONTNEED);
  uint64_t turn = atomic_fetch_add_explicit(&last_turn, 1, memory_order_relaxed) + 1;
  set_word(index, turn * TURN_STEP + CRV_SLOT_RELEASED);
}

size_t cmg_table_size(const void *address) {
  size_t index = slot_of((uintptr_t)address);
  uint64_t word = atomic_load_explicit(&crashkit_memory_guard.words[index], memory_order_acquire);
  bool is_live = CRV_SLOT_STATE(word) == CRV_SLOT_LIVE && is_address_of((uintptr_t)address, index);
  if (!is_live) (void)*(const volatile char *)address;
  return slots[index].size;
}
