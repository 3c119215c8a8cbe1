// The description of a lock in a violation. Plain memory, and the walk of the calling thread's stack.

#include "locks/descriptions.h"

#include "ground/engine_lock.h"
#include "ground/work_stack.h"
#include "locks/records.h"
#include "locks/stacks.h"

struct ctg_lock ctg_lock_of_record(uint32_t number) {
  const struct ctg_record *record = ctg_record_at(number);
  return (struct ctg_lock){
      .address = record->address,
      .type = (enum ctg_lock_type)record->type,
      .name = record->class_record ? ctg_record_at(record->class_record)->name : record->name,
      .origin = ctg_stack_kept(record->origin),
  };
}

struct ctg_lock ctg_lock_described(const struct ctg_held *held) {
  uint32_t number = ctg_record_find(held->address);
  struct ctg_lock lock = number ? ctg_lock_of_record(number) : (struct ctg_lock){.address = held->address};
  lock.type = (enum ctg_lock_type)held->type;
  return lock;
}

struct ctg_stack ctg_stack_noted(const struct ctg_held *held, uintptr_t frames[CTG_NOTED_CALLERS]) {
  if (held->flags & CTG_STACK_IS_KEPT) return ctg_stack_kept(held->stack);
  return (struct ctg_stack){frames, ctg_stack_as_noted(held, frames)};
}

static void keep_held(struct ctg_thread_state *self, const struct ctg_walk *walk) {
  uintptr_t addresses[CTG_STACK_MAX];
  for (uint32_t i = 0; i < self->depth; ++i) {
    struct ctg_held *held = &self->held[i];
    held->stack = ctg_stack_keep(addresses, ctg_stack_of_taking(held, walk, addresses));
    held->flags |= CTG_STACK_IS_KEPT;
  }
}

static void note_stacks(void *argument) {
  struct ctg_thread_state *self = argument;
  struct ctg_walk walk;
  ctg_walk_from(&self->wanted, &walk);
  ctg_engine_lock();
  self->wanted.stack = ctg_stack_keep(walk.addresses, walk.count);
  self->wanted.flags |= CTG_STACK_IS_KEPT;
  keep_held(self, &walk);
  ctg_engine_unlock();
}

void ctg_wait_note_stacks(struct ctg_thread_state *self) { ctg_on_work_stack(note_stacks, self); }

static void note_held(void *argument) {
  struct ctg_walk walk = {0};
  ctg_engine_lock();
  keep_held(argument, &walk);
  ctg_engine_unlock();
}

void ctg_wait_note_held(struct ctg_thread_state *self) { ctg_on_work_stack(note_held, self); }
