// Findings in stacks of locks. System calls and plain memory, until something is reported.

#include "misuse/held_findings.h"

#include <pthread.h>

#include "ground/engine_lock.h"
#include "locks/descriptions.h"
#include "CGround/memory.h"
#include "violations.h"

bool ctg_held_is_owned(const struct ctg_thread_state *state, const struct ctg_held *held) {
  if (held->type != CTG_MUTEX && held->type != CTG_RECURSIVE_MUTEX) return true;
  int owner = 0;
  const pthread_mutex_t *mutex = (const pthread_mutex_t *)held->address;
  return cgr_memory_read((uintptr_t)&mutex->__data.__owner, &owner, sizeof owner) == sizeof owner && owner == state->id;
}

bool ctg_held_was_sampled(struct ctg_held *held) {
  uintptr_t pointer = __atomic_load_n(&held->stack_pointer, __ATOMIC_RELAXED);
  if (pointer & CTG_IS_SAMPLED) return true;
  __atomic_compare_exchange_n(&held->stack_pointer, &pointer, pointer | CTG_IS_SAMPLED, false, __ATOMIC_SEQ_CST,
                              __ATOMIC_RELAXED);
  return false;
}

void ctg_held_tell(const struct ctg_thread_state *state, const struct ctg_held *held, enum ctg_rule rule,
                   const char *label, const char *message) {
  uintptr_t frames[CTG_NOTED_CALLERS];
  ctg_engine_lock();
  struct ctg_lock lock = ctg_lock_described(held);
  struct ctg_labelled_stack stack = {.label = label, .stack = ctg_stack_noted(held, frames)};
  ctg_engine_unlock();
  stack.thread = ctg_thread_named(state);
  struct ctg_violation violation = ctg_violation_of(rule, message);
  violation.locks = &lock;
  violation.stacks = &stack;
  violation.lock_count = violation.stack_count = 1;
  ctg_violation_report(&violation);
}
