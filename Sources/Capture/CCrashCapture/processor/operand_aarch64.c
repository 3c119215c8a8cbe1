// aarch64: the kernel gives the address of every fault of memory, so no operand has to be decoded. Reads through
// cgr_memory_read.
#if defined(__aarch64__)

#include "CGround/memory.h"
#include "CGround/return_address.h"
#include "processor/operand.h"

// At most 52 bits; the processor ignores the top byte in the program's half.
bool ck_is_canonical(uint64_t address) { return (address & ~(0xffull << 56)) < 1ull << 52; }

ck_operand ck_operand_of(const ck_registers *registers) {
  (void)registers;
  return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
}

// bl, or blr with or without authentication.
bool ck_follows_call(uint64_t address) {
  uint32_t code;
  if (cgr_memory_read(address - 4, &code, 4) < 4) return false;
  return (code & 0xfc000000) == 0x94000000 || (code & 0xfefff000) == 0xd63f0000;
}

// `ret` goes to the link register, and a call has changed it. A signature that was wrong changes one bit of the program
// counter, and not of the register where `retaa` checks it. A jump ignores the top byte.
bool ck_came_by_return(const ck_registers *registers) {
  uint64_t link = cgr_without_signature(registers->values[CK_REGISTER_LR]);
  return (link ^ cgr_without_signature(registers->values[CK_REGISTER_PC])) << 8 == 0;
}

#endif
