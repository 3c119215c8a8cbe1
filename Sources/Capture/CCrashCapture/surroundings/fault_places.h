#pragma once
// The places of a fault's addresses in the memory map, and whether the stack pointer is in a stack of its thread.

#include "processor/maps.h"
#include "threads/fault.h"

#pragma GCC visibility push(hidden)

typedef enum ck_fault_place {
  CK_PLACE_FAULT_ADDRESS,
  CK_PLACE_PROGRAM_COUNTER,
  CK_PLACE_STACK_POINTER,
  CK_PLACE_OWN_STACK,   // an address in the thread's own stack
  CK_PLACE_MAIN_STACK,  // and one in the first thread's: after a fork the thread may have both
  CK_PLACES,
} ck_fault_place;

typedef struct ck_fault_places {
  bool is_read;  // false if the memory map could not be read
  ck_map_query queries[CK_PLACES];
  bool has_left_stack;  // the stack pointer is in neither stack, nor in the thread's alternate signal stack
} ck_fault_places;

/// Called by the thread that faulted. Async-signal-safe: one pass over /proc/thread-self/maps.
void ck_fault_places_read(const ck_fault *fault, ck_fault_places *places);

#pragma GCC visibility pop
