#pragma once
// The memory that an instruction accesses, for faults whose address the kernel does not give.

#include <stdbool.h>
#include <stdint.h>

#include "processor/registers.h"

#pragma GCC visibility push(hidden)

typedef enum {
  CK_OPERAND_UNKNOWN,
  CK_OPERAND_MEMORY,  // read or written at `address`
  CK_OPERAND_JUMP,    // goes on at `address`
  CK_OPERAND_RETURN,  // goes on at `address`, which it took from the stack
} ck_operand_kind;

typedef struct ck_operand {
  ck_operand_kind kind;
  uint64_t address;
  bool canonical;  // `address` is one that the processor can translate at all
} ck_operand;

/// Whether the processor can translate an address at all. Async-signal-safe.
bool ck_is_canonical(uint64_t address);

/// Of the instruction at the program counter. Async-signal-safe: reads through cgr_memory_read.
ck_operand ck_operand_of(const ck_registers *registers);

/// Whether a call instruction lies right before `address`, so that it may be a return address. Async-signal-safe, as
/// above.
bool ck_follows_call(uint64_t address);

/// Whether the thread came to its program counter by a return, rather than a call or a jump, as far as the stack still
/// tells. Async-signal-safe, as above.
bool ck_came_by_return(const ck_registers *registers);

#pragma GCC visibility pop
