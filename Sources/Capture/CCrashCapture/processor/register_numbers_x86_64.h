#pragma once

#include <stdint.h>

// DWARF numbers 0 to 16, then what only a report shows. Names as in the Swift runtime's crash log.
#define CK_REGISTER_FP 6
#define CK_REGISTER_SP 7
#define CK_REGISTER_PC 16
#define CK_REGISTER_COUNT 21
/// Registers below this number may hold addresses whose memory is worth showing.
#define CK_REGISTER_ADDRESSES 17
#define CK_REGISTER_NAMES                                                                                         \
  {                                                                                                               \
    "rax", "rdx", "rcx", "rbx", "rsi", "rdi", "rbp", "rsp", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15", \
        "rip", "rflags", "cs", "fs", "gs"                                                                         \
  }
/// Return addresses are what they are.
#define CK_RETURN_ADDRESSES_MAY_BE_SIGNED 0
// The return address's column in unwind tables.
#define CK_RETURN_ADDRESS_COLUMN 16
/// push %rbp; push %r14; lea 8(%rsp), %rbp
#define CK_SWIFT_ASYNC_PROLOGUE \
  { 0x55, 0x41, 0x56, 0x48, 0x8d, 0x6c, 0x24, 0x08 }
/// So many bytes of it store the context, which comes in r14, that far below the caller's stack pointer.
#define CK_SWIFT_ASYNC_CONTEXT_STORED 3
#define CK_SWIFT_ASYNC_CONTEXT_BELOW 24
#define CK_REGISTER_ASYNC_CONTEXT 14
/// In which Swift's methods get their self, and keep it if they can.
#define CK_REGISTER_SWIFT_SELF 13
#define CK_CODE_ALIGNMENT 1
/// Where the instruction at `address` calls, if it is a direct call; the address must be readable for 8 bytes.
static inline uint64_t ck_direct_call_target(uint64_t address) {
  const uint8_t *code = (const uint8_t *)(uintptr_t)address;
  int32_t distance;
  __builtin_memcpy(&distance, code + 1, sizeof distance);
  return code[0] == 0xe8 ? address + 5 + (uint64_t)(int64_t)distance : 0;
}
// Where a system call has its arguments: rdi, rsi, rdx, r10, r8, r9.
#define CK_SYSCALL_ARGUMENTS \
  { 5, 4, 1, 10, 8, 9 }
#define CK_JUMP_WORDS 8
