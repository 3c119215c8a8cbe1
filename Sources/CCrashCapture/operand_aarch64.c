// aarch64: the kernel gives the address of every fault of memory, so there is nothing to decode.
#if defined(__aarch64__)

#include "operand.h"

ck_operand ck_operand_of(const ck_registers *registers) {
  (void)registers;
  return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
}

// `ret` goes to the link register, and a call has changed it.
bool ck_came_by_return(const ck_registers *registers) {
  return registers->values[CK_REGISTER_LR] == registers->values[CK_REGISTER_PC];
}

#endif
