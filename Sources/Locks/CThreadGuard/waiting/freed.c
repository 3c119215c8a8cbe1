// Memory of locks that are held. System calls and plain memory, until something is reported.

#include "waiting/freed.h"

#include <pthread.h>
#include <stdlib.h>

#include "findings/options.h"
#include "ground/said_once.h"
#include "ground/state.h"
#include "CGround/memory.h"
#include "misuse/held_findings.h"
#include "CGround/syscalls.h"

// glibc's bits of a mutex whose owner is not noted, since it is taken by a transaction of the processor.
#define KIND_ELISION 768

static long process;

// In a child of fork the owners are the parent's.
static bool is_wanted(void) { return ctg_options.freed && cgr_syscall0(SYS_getpid) == process; }

static bool is_elided(uintptr_t mutex) {
  int kind = 0;
  const pthread_mutex_t *place = (const pthread_mutex_t *)mutex;
  return cgr_memory_read((uintptr_t)&place->__data.__kind, &kind, sizeof kind) == sizeof kind && kind & KIND_ELISION;
}

static bool says_otherwise(const struct ctg_thread_state *state, const struct ctg_held *held) {
  if (held->flags & (CTG_GIVEN_BACK | CTG_LOCK_IS_OPAQUE)) return false;
  if (held->type == CTG_MUTEX || held->type == CTG_RECURSIVE_MUTEX)
    return !ctg_held_is_owned(state, held) && !is_elided(held->address);
  if (held->type != CTG_RWLOCK || held->flags & CTG_TAKEN_SHARED) return false;
  int writer = 0;
  const pthread_rwlock_t *place = (const pthread_rwlock_t *)held->address;
  uintptr_t word = (uintptr_t)&place->__data.__cur_writer;
  return cgr_memory_read(word, &writer, sizeof writer) != sizeof writer || writer != state->id;
}

static void tell(const struct ctg_thread_state *state, const struct ctg_held *held) {
  if (ctg_was_said((held->caller * 31 + held->second_caller) * 31 + CTG_RULE_FREED_WHILE_HELD, 0)) return;
  ctg_held_tell(state, held, CTG_RULE_FREED_WHILE_HELD, "taken here", NULL);
}

// An entry is taken away before its lock is released, so that one that is still there, and the same, says how it was.
void ctg_freed_look(struct ctg_thread_state *state) {
  if (!is_wanted()) return;
  for (uint32_t i = 0; i < CTG_HELD_MAX && i < __atomic_load_n(&state->depth, __ATOMIC_ACQUIRE); ++i) {
    struct ctg_held *held = &state->held[i];
    if (!ctg_held_was_sampled(held)) continue;
    struct ctg_held copy = *held;
    bool is_wrong = says_otherwise(state, &copy);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (is_wrong && i < __atomic_load_n(&state->depth, __ATOMIC_ACQUIRE) && ctg_held_was_sampled(held)
        && held->address == copy.address && !(held->flags & CTG_GIVEN_BACK))
      tell(state, &copy);
  }
}

void ctg_freed_look_own(struct ctg_thread_state *self) {
  if (!is_wanted() || ctg_busy) return;
  ctg_busy++;
  for (uint32_t i = 0; i < self->depth; ++i)
    if (says_otherwise(self, &self->held[i])) tell(self, &self->held[i]);
  ctg_busy--;
}

static void at_exit(int status, void *unused) {
  (void)status, (void)unused;
  if (ctg_thread_self) ctg_freed_look_own(ctg_thread_self);
}

void ctg_freed_prepare(void) {
  process = cgr_syscall0(SYS_getpid);
  if (ctg_options.freed) on_exit(at_exit, NULL);
}
