#pragma once
// The facts that the guard of allocations has about the memory that caused a death.

#include "CRendezvous/memory_guard.h"
#include "CReportTerms.h"
#include "threads/fault.h"

#pragma GCC visibility push(hidden)

typedef struct ck_guarded_memory {
  term_cause cause;
  uint64_t address, size;
  int64_t offset;       // of the access, from the address
  uint64_t first_word;  // of the memory, now or as it was released
  bool is_released;
  uint64_t slot;  // where its crv_guarded_slot is
} ck_guarded_memory;

/// Finds the guard, which may be linked into the program or preloaded. Called once, at install.
void ck_guarded_memory_prepare(void);
/// Whether any memory is guarded. Async-signal-safe.
bool ck_memory_is_guarded(void);

/// Takes the release that the guard refused, if the calling thread is in the abort() that followed: its next SIGABRT
/// has another reason. Async-signal-safe.
void ck_guarded_memory_take_stop(ck_last_signs *signs);

/// Finds the guarded memory that a fault is about, or a release that the guard refused. Returns false if it is about
/// none. What the guard wrote may be damaged: all of it is read by calls that cannot fault, and checked.
/// Async-signal-safe.
bool ck_guarded_memory_find(const ck_fault *fault, ck_guarded_memory *found);

/// Copies the stack of the allocation, or of the release. Returns false if there is none. Async-signal-safe.
bool ck_guarded_stack_read(const ck_guarded_memory *memory, bool of_release, crv_guarded_stack *copy);

#pragma GCC visibility pop
