// The mappings around a fault. Reads of /proc/thread-self/maps.

#include "surroundings/fault_places.h"

#include "CGround/memory.h"

// Set by the loader, before anything of the program runs.
extern void *__libc_stack_end;

static bool same_mapping(const ck_mapping *one, const ck_mapping *other) {
  return one->found && other->found && one->start == other->start;
}

static bool is_in_alternate_stack(const ck_fault *fault, uint64_t address) {
  const stack_t *stack = &fault->context->uc_stack;
  return !(stack->ss_flags & SS_DISABLE) && address - (uintptr_t)stack->ss_sp < stack->ss_size;
}

static bool has_left_stack(const ck_fault *fault, const ck_map_query *queries) {
  const ck_mapping *here = &queries[CK_PLACE_STACK_POINTER].at;
  const ck_mapping *own = &queries[CK_PLACE_OWN_STACK].at, *first = &queries[CK_PLACE_MAIN_STACK].at;
  if (!own->found && !first->found) return false;
  return !same_mapping(here, own) && !same_mapping(here, first)
         && !is_in_alternate_stack(fault, queries[CK_PLACE_STACK_POINTER].address);
}

void ck_fault_places_read(const ck_fault *fault, ck_fault_places *places) {
  cgr_zero(places, sizeof *places);
  ck_map_query *queries = places->queries;
  const uint64_t *values = fault->registers.values;
  queries[CK_PLACE_FAULT_ADDRESS].address = fault->has_address ? fault->address : values[CK_REGISTER_PC];
  queries[CK_PLACE_PROGRAM_COUNTER].address = values[CK_REGISTER_PC];
  queries[CK_PLACE_STACK_POINTER].address = values[CK_REGISTER_SP];
  // Libc puts what the thread pointer names at the upper end of a thread's stack; the first thread's is on the heap.
  queries[CK_PLACE_OWN_STACK].address = (uintptr_t)__builtin_thread_pointer();
  queries[CK_PLACE_MAIN_STACK].address = (uintptr_t)__libc_stack_end;
  places->is_read = ck_maps_query(queries, CK_PLACES);
  places->has_left_stack = places->is_read && has_left_stack(fault, queries);
}
