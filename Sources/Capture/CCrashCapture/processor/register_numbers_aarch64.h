#pragma once

#include <stdint.h>

#define CK_REGISTER_FP 29
#define CK_REGISTER_LR 30
#define CK_REGISTER_SP 31
#define CK_REGISTER_PC 32
#define CK_REGISTER_COUNT 34
/// Registers below this number may hold addresses whose memory is worth showing.
#define CK_REGISTER_ADDRESSES 33
#define CK_REGISTER_NAMES                                                                                             \
  {                                                                                                                   \
    "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15", "x16",      \
        "x17", "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "x30", "sp", "pc", \
        "pstate"                                                                                                      \
  }
/// Functions may sign their return address before they put it on the stack (pointer authentication).
#define CK_RETURN_ADDRESSES_MAY_BE_SIGNED 1
// The return address's column in unwind tables.
#define CK_RETURN_ADDRESS_COLUMN 30
/// What async functions are given their context in.
#define CK_REGISTER_ASYNC_CONTEXT 22
/// In which Swift's methods get their self, and keep it if they can.
#define CK_REGISTER_SWIFT_SELF 20
#define CK_CODE_ALIGNMENT 4
/// Where the instruction at `address` calls, if it is a direct call; the address must be readable for 8 bytes.
static inline uint64_t ck_direct_call_target(uint64_t address) {
  uint32_t code = *(const uint32_t *)(uintptr_t)address;
  int64_t distance = (int64_t)(int32_t)(code << 6) >> 4;
  return code >> 26 == 0x25 ? address + (uint64_t)distance : 0;
}
// Where a system call has its arguments.
#define CK_SYSCALL_ARGUMENTS \
  { 0, 1, 2, 3, 4, 5 }
#define CK_JUMP_WORDS 22
