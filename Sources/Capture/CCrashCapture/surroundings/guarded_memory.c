// Reads the table of CMemoryGuard, which other threads may be writing. Reads through cgr_memory_read. The only word
// that it writes is stop_thread, after reading it.

#include "surroundings/guarded_memory.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <stddef.h>

#include "CGround/look_up.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CRendezvous/rendezvous.h"
#include "surroundings/noted_guard.h"

#define PAGES (2 * CRV_GUARDED_SLOTS + 1)

// In the same program. Not declared hidden, for gold gives a hidden weak symbol that is not there an address.
extern const crv_memory_guard crashkit_memory_guard __attribute__((weak));

static uint64_t guard;

// The program's own malloc goes before that of a preloaded guard.
void ck_guarded_memory_prepare(void) {
  const crv_memory_guard *linked = &crashkit_memory_guard;
  guard = ck_noted_guard();
  if (guard == 0) guard = (uintptr_t)(linked ? linked : cgr_look_up(RTLD_DEFAULT, RENDEZVOUS_MEMORY_GUARD));
}

/// The guard without the words of its slots.
typedef struct head {
  uint32_t version, page_size;
  uint64_t start, end, slots;
  uint32_t stop_thread, stop;
  uint64_t stop_address;
} head;
_Static_assert(sizeof(head) == offsetof(crv_memory_guard, words), "a copy of its beginning");

static bool read_head(head *head) {
  if (guard == 0 || cgr_memory_read(guard, head, sizeof *head) != sizeof *head) return false;
  uint64_t page = head->page_size;
  bool is_page = page >= 4096 && page <= 65536 && (page & (page - 1)) == 0;
  return head->version == CRV_MEMORY_GUARD_VERSION && is_page && head->start != 0
         && head->end - head->start == PAGES * page;
}

bool ck_memory_is_guarded(void) {
  head head;
  return read_head(&head);
}

// The first members of a slot.
typedef struct object {
  uint64_t address, size, first_word;
} object;

static uint64_t slot_address(const head *head, uint64_t slot) { return head->slots + slot * sizeof(crv_guarded_slot); }

// Returns false if the slot has never been used, or if what it says makes no sense.
static bool read_slot(const head *head, uint64_t slot, object *object, unsigned *state) {
  uint64_t word, at = guard + offsetof(crv_memory_guard, words) + slot * sizeof word;
  if (slot >= CRV_GUARDED_SLOTS || cgr_memory_read(at, &word, sizeof word) != sizeof word
      || cgr_memory_read(slot_address(head, slot), object, sizeof *object) != sizeof *object)
    return false;
  uint64_t page = head->start + (2 * slot + 1) * head->page_size;
  *state = CRV_SLOT_STATE(word);
  bool has_object = *state == CRV_SLOT_LIVE || *state == CRV_SLOT_LEAVING || *state == CRV_SLOT_RELEASED;
  return has_object && object->address - page < head->page_size
         && object->size <= page + head->page_size - object->address;
}

typedef struct candidate {
  uint64_t slot, distance;
  term_cause cause;
} candidate;

// Of the objects on both sides of a page that is never accessible, the one that is in use; of two, the nearer one.
static bool choose(const head *head, uint64_t address, candidate *chosen) {
  uint64_t page = (address - head->start) / head->page_size, end = head->start + (page + 1) * head->page_size;
  bool is_chosen_live = false, found = false;
  for (int side = 0; side < 2; ++side) {
    candidate here = {.slot = page / 2 - 1 + (uint64_t)side, .cause = side ? TERM_CAUSE_underrun : TERM_CAUSE_overrun};
    here.distance = side ? end - address : address - (end - head->page_size);
    object object;
    unsigned state;
    if (!read_slot(head, here.slot, &object, &state)) continue;
    bool is_live = state == CRV_SLOT_LIVE;
    bool is_better = is_live != is_chosen_live ? is_live : here.distance < chosen->distance;
    if (found && !is_better) continue;
    *chosen = here;
    is_chosen_live = is_live;
    found = true;
  }
  return found;
}

static bool describe(const head *head, const candidate *chosen, uint64_t address, ck_guarded_memory *found) {
  object object;
  unsigned state;
  if (!read_slot(head, chosen->slot, &object, &state)) return false;
  *found = (ck_guarded_memory){
      .cause = chosen->cause,
      .address = object.address,
      .size = object.size,
      .offset = (int64_t)(address - object.address),
      .first_word = object.first_word,
      .is_released = state != CRV_SLOT_LIVE,
      .slot = slot_address(head, chosen->slot),
  };
  if (!found->is_released && object.size >= sizeof found->first_word)
    cgr_memory_read(object.address, &found->first_word, sizeof found->first_word);
  return true;
}

static bool find_at(const head *head, uint64_t address, ck_guarded_memory *found) {
  candidate chosen = {.cause = TERM_CAUSE_useAfterFree};
  uint64_t page = (address - head->start) / head->page_size;
  chosen.slot = page / 2;
  if (page % 2 == 0 && !choose(head, address, &chosen)) return false;
  return describe(head, &chosen, address, found);
}

void ck_guarded_memory_take_stop(ck_last_signs *signs) {
  head head;
  if (!read_head(&head) || head.stop_thread != (uint32_t)cgr_thread_id()) return;
  signs->stop = head.stop;
  signs->stop_address = head.stop_address;
  atomic_store_explicit(&((crv_memory_guard *)(uintptr_t)guard)->stop_thread, 0, memory_order_release);
}

static bool find_stopped(const head *head, const ck_fault *fault, ck_guarded_memory *found) {
  const ck_last_signs *signs = &fault->signs;
  if (signs->stop == CRV_STOP_NONE || !find_at(head, signs->stop_address, found)) return false;
  found->cause = signs->stop == CRV_STOP_DOUBLE_FREE ? TERM_CAUSE_doubleFree : TERM_CAUSE_misplacedFree;
  return true;
}

bool ck_guarded_memory_find(const ck_fault *fault, ck_guarded_memory *found) {
  head head;
  if (!read_head(&head)) return false;
  if (fault->has_sender) return find_stopped(&head, fault, found);
  bool is_inside =
      fault->signal == SIGSEGV && fault->has_address && fault->address - head.start < head.end - head.start;
  if (!is_inside || !find_at(&head, fault->address, found)) return false;
  return found->cause != TERM_CAUSE_useAfterFree || found->is_released;
}

bool ck_guarded_stack_read(const ck_guarded_memory *memory, bool of_release, crv_guarded_stack *copy) {
  if (of_release && !memory->is_released) return false;
  uint64_t at =
      memory->slot + (of_release ? offsetof(crv_guarded_slot, released) : offsetof(crv_guarded_slot, allocated));
  return cgr_memory_read(at, copy, sizeof *copy) == sizeof *copy && copy->thread != 0
         && copy->size <= sizeof copy->bytes;
}
