// Threads that ended with locks. System calls and plain memory, until one is reported.

#include "waiting/ended_threads.h"

#include <pthread.h>
#include <sys/uio.h>

#include "ground/engine_lock.h"
#include "ground/said_once.h"
#include "ground/state.h"
#include "locks/descriptions.h"
#include "locks/held.h"
#include "locks/records.h"
#include "locks/stacks.h"
#include "threads/watch_bell.h"
#include "violations.h"
#include "waiting/freed.h"

#define ENDINGS_MAX 64u
#define LOOKS_UNTIL_TOLD 4u

static _Atomic unsigned endings, untold;

// A lock that was freed while it was held may have no owner by now, and its memory gone.
static bool read_word(const void *from, int *word) {
  struct iovec own = {word, sizeof *word}, other = {(void *)from, sizeof *word};
  return cgr_syscall6(SYS_process_vm_readv, cgr_syscall0(SYS_getpid), (long)&own, 1, (long)&other, 1, 0)
         == sizeof *word;
}

// The lock says so itself: another thread may have given it back. Of readers it knows only how many there are.
static bool is_still_held(const struct ctg_thread_state *state, const struct ctg_held *held) {
  int word = 0;
  const pthread_rwlock_t *rwlock = (const pthread_rwlock_t *)held->address;
  if (held->type == CTG_MUTEX || held->type == CTG_RECURSIVE_MUTEX)
    return read_word(&((const pthread_mutex_t *)held->address)->__data.__owner, &word) && word == state->id;
  if (held->type != CTG_RWLOCK) return held->type == CTG_SPINLOCK;
  if (!(held->flags & CTG_TAKEN_SHARED)) return read_word(&rwlock->__data.__cur_writer, &word) && word == state->id;
  return read_word(&rwlock->__data.__readers, &word) && (unsigned)word >> 3 != 0;
}

static bool is_left_behind(const struct ctg_thread_state *state, const struct ctg_held *held) {
  return held->type != CTG_QUEUE && !(held->flags & (CTG_LOCK_IS_ROBUST | CTG_GIVEN_BACK))
         && is_still_held(state, held);
}

bool ctg_ending_leaves_locks(struct ctg_thread_state *self) {
  if (ctg_busy) return false;
  ctg_freed_look_own(self);
  for (uint32_t i = self->depth; i-- > 0;)
    if (!is_left_behind(self, &self->held[i])) ctg_held_remove(self, &self->held[i]);
  if (self->depth == 0) return false;
  bool has_room = atomic_load(&endings) < ENDINGS_MAX;
  ctg_busy++;
  ctg_wait_note_held(self);
  self->ended = ctg_thread_description(self);
  self->suspicion = 0;
  atomic_store(&self->ending, has_room ? CTG_HAS_ENDED : CTG_ENDING_WAS_TOLD);
  if (has_room) {
    atomic_fetch_add(&endings, 1);
    atomic_fetch_add(&untold, 1);
  }
  ctg_busy--;
  if (has_room) ctg_watcher_needed();
  return has_room;
}

// --- Reporting --------------------------------------------------------------------------------------------------

// The first that comes reports it.
static bool may_tell(struct ctg_thread_state *state) {
  int expected = CTG_HAS_ENDED;
  if (!atomic_compare_exchange_strong(&state->ending, &expected, CTG_ENDING_WAS_TOLD)) return false;
  atomic_fetch_sub(&untold, 1);
  return true;
}

static void report(enum ctg_rule rule, const struct ctg_held *held, const struct ctg_labelled_stack *stacks,
                   size_t count) {
  ctg_engine_lock();
  struct ctg_lock lock = ctg_lock_described(held);
  ctg_engine_unlock();
  struct ctg_violation violation = ctg_violation_of(rule, NULL);
  violation.locks = &lock;
  violation.lock_count = 1;
  violation.stacks = stacks;
  violation.stack_count = count;
  ctg_violation_report(&violation);
}

static void tell(struct ctg_thread_state *state) {
  if (!may_tell(state)) return;
  ctg_busy++;
  for (uint32_t i = 0; i < state->depth; ++i) {
    const struct ctg_held *held = &state->held[i];
    if (!is_left_behind(state, held)) continue;
    struct ctg_labelled_stack taken = {"taken here", state->ended, ctg_stack_kept(held->stack)};
    report(CTG_RULE_THREAD_ENDS_WITH_LOCK, held, &taken, 1);
  }
  ctg_busy--;
}

bool ctg_endings_look(void) {
  if (atomic_load(&endings) == 0) return false;
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (!atomic_load(&state->is_live)) continue;
    if (atomic_load(&state->ending) == CTG_HAS_ENDED && ++state->suspicion > LOOKS_UNTIL_TOLD) tell(state);
    bool waits = atomic_load(&state->waits) & 1;
    if (waits && state->depth == 0) ctg_ending_tell_waiter(state);
  }
  return true;
}

void ctg_ending_joined(uintptr_t handle) {
  if (atomic_load(&untold) == 0) return;
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i)
    if (atomic_load(&state->is_live) && atomic_load(&state->ending) == CTG_HAS_ENDED && state->handle == handle)
      tell(state);
}

bool ctg_ending_tell_waiter(struct ctg_thread_state *waiter) {
  if (atomic_load(&endings) == 0) return false;
  uint32_t waits = atomic_load(&waiter->waits);
  struct ctg_held wanted = waiter->wanted;
  if (!(waits & 1)) return false;
  struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i) {
    if (!atomic_load(&state->is_live) || atomic_load(&state->ending) == CTG_GOES_ON) continue;
    const struct ctg_held *held = ctg_held_find(state, wanted.address);
    if (!held || held->type != wanted.type || !is_left_behind(state, held)) continue;
    if (held->flags & wanted.flags & CTG_TAKEN_SHARED) continue;
    if (atomic_load(&waiter->waits) != waits || ctg_was_said((uint64_t)waiter->serial << 32 | waits, 0)) return true;
    may_tell(state);
    uintptr_t frames[CTG_NOTED_CALLERS];
    struct ctg_stack here = ctg_stack_noted(&wanted, frames);
    struct ctg_labelled_stack stacks[] = {
        {"waits here", ctg_thread_named(waiter), here},
        {"taken here, by a thread that has ended", state->ended, ctg_stack_kept(held->stack)},
    };
    ctg_busy++;
    report(CTG_RULE_OWNER_HAS_ENDED, held, stacks, 2);
    ctg_busy--;
    return true;
  }
  return false;
}
