#pragma once
// The data of the guard of allocations (CMemoryGuard) for a crash report. Since it may be damaged, the report checks
// every number before it uses it.

#include <stdatomic.h>
#include <stdint.h>

/// How many guarded allocations there can be at a time.
#define CRV_GUARDED_SLOTS 256
/// So much of a stack is kept: it is unwound when the program dies.
#define CRV_GUARDED_STACK_BYTES 8192
/// Registers by their DWARF numbers, as many as aarch64 needs.
#define CRV_GUARDED_REGISTERS 34
/// Counts up if a layout below changes other than by growing at its end.
#define CRV_MEMORY_GUARD_VERSION 1

/// The note of a program that holds a guard: the distance, 8 bytes, from the note's descriptor to its crv_memory_guard.
#define CRV_NOTE_OWNER "CrashKit"
#define CRV_NOTE_OF_MEMORY_GUARD 0x4d47

/// A thread and its stack, as it allocated memory or gave it back.
typedef struct crv_guarded_stack {
  uint64_t caller;                            // where the interposed function returns to
  uint64_t start;                             // the address that `bytes` were copied from
  uint64_t registers[CRV_GUARDED_REGISTERS];  // of one of the guard's own functions; only those that calls preserve
  uint32_t size;                              // of `bytes`
  uint32_t thread;
  uint8_t bytes[CRV_GUARDED_STACK_BYTES];
} crv_guarded_stack;

typedef struct crv_guarded_slot {
  uint64_t address, size;  // as the program knows its memory
  uint64_t first_word;     // of the memory, as it was released
  crv_guarded_stack allocated, released;
} crv_guarded_slot;

/// What a slot's page holds.
enum {
  CRV_SLOT_UNUSED,
  CRV_SLOT_TAKEN,  // a thread prepares it
  CRV_SLOT_LIVE,
  CRV_SLOT_LEAVING,   // a thread gives it back: `released` is complete if the page is protected
  CRV_SLOT_RELEASED,  // and its page is protected
};
/// A slot's word: its state, and above that its turn, which grows with each release.
#define CRV_SLOT_STATE(word) ((word)&7)

/// Why the guard ended the process.
enum { CRV_STOP_NONE, CRV_STOP_DOUBLE_FREE, CRV_STOP_INVALID_FREE };

/// Slot `i` has page 2 * i + 1 of the region; the pages between are never accessible.
typedef struct crv_memory_guard {
  uint32_t version;
  uint32_t page_size;
  _Atomic uint64_t start;  // of the region; 0 if nothing is guarded
  uint64_t end;
  const crv_guarded_slot *slots;
  _Atomic uint32_t stop_thread;  // that the guard is stopping; CrashKit sets it to 0 once the thread has its SIGABRT
  uint32_t stop;
  uint64_t stop_address;  // what it was about to release
  _Atomic uint64_t words[CRV_GUARDED_SLOTS];
} crv_memory_guard;
