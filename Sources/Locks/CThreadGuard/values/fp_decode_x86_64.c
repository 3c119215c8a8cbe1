// Reads the instruction that raised an invalid operation: Intel's Software Developer's Manual, volume 2, chapter 2 and
// appendix A. Enough of it for what compilers make of scalar arithmetic; of a packed operation it finds the nature
// only. Async-signal-safe: memory is read by a system call that cannot fault.

#ifdef __x86_64__

#include <math.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "nan_trap.h"
#include "values/fp_trap.h"

#ifdef THREADGUARD

#define LONGEST_INSTRUCTION 15

enum { MAP_0F = 1, MAP_0F38 = 2, MAP_0F3A = 3 };
enum { PACKED_SINGLE = 0, PACKED_DOUBLE = 1, SCALAR_SINGLE = 2, SCALAR_DOUBLE = 3 };

struct instruction {
  unsigned char bytes[LONGEST_INSTRUCTION];
  size_t length;  // of `bytes`, as far as they can be read
  size_t at;      // the next of them
  unsigned map, opcode, form;
  bool has_segment, has_source_register;
  unsigned reg_high, index_high, base_high;  // 0 or 8
  unsigned source_register;                  // if there are three operands
};

static bool read_memory(uintptr_t address, void *into, size_t size, size_t *got) {
  struct iovec local = {into, size}, remote = {(void *)address, size};
  ssize_t count = process_vm_readv(getpid(), &local, 1, &remote, 1, 0);
  *got = count > 0 ? (size_t)count : 0;
  return *got == size;
}

static unsigned next(struct instruction *instruction) {
  return instruction->at < instruction->length ? instruction->bytes[instruction->at++] : 0;
}

// --- Prefixes and opcode -------------------------------------------------------------------------------------------

static void read_vex(struct instruction *instruction, bool is_long) {
  unsigned first = next(instruction), last = first;
  instruction->reg_high = first & 0x80 ? 0 : 8;
  instruction->map = MAP_0F;
  if (is_long) {
    instruction->index_high = first & 0x40 ? 0 : 8;
    instruction->base_high = first & 0x20 ? 0 : 8;
    instruction->map = first & 0x1f;
    last = next(instruction);
  }
  instruction->has_source_register = true;
  instruction->source_register = (~last >> 3) & 15;
  static const unsigned forms[] = {PACKED_SINGLE, PACKED_DOUBLE, SCALAR_SINGLE, SCALAR_DOUBLE};
  instruction->form = forms[last & 3];
  instruction->opcode = next(instruction);
}

// Registers beyond the sixteenth and broadcasts are not in reach: only the opcode is wanted.
static void read_evex(struct instruction *instruction) {
  instruction->map = next(instruction) & 7;
  next(instruction);
  next(instruction);
  instruction->form = PACKED_SINGLE;
  instruction->opcode = next(instruction);
}

static void read_legacy(struct instruction *instruction, unsigned byte, bool has_66, unsigned repeat) {
  if (byte >> 4 == 4) {
    instruction->reg_high = byte & 4 ? 8 : 0;
    instruction->index_high = byte & 2 ? 8 : 0;
    instruction->base_high = byte & 1 ? 8 : 0;
    byte = next(instruction);
  }
  if (byte != 0x0f) return;
  instruction->map = MAP_0F;
  instruction->opcode = next(instruction);
  if (instruction->opcode == 0x38 || instruction->opcode == 0x3a) {
    instruction->map = instruction->opcode == 0x38 ? MAP_0F38 : MAP_0F3A;
    instruction->opcode = next(instruction);
  }
  instruction->form = repeat == 0xf2   ? SCALAR_DOUBLE
                      : repeat == 0xf3 ? SCALAR_SINGLE
                      : has_66         ? PACKED_DOUBLE
                                       : PACKED_SINGLE;
}

static void read_instruction(struct instruction *instruction) {
  bool has_66 = false;
  unsigned repeat = 0;
  for (;;) {
    unsigned byte = next(instruction);
    switch (byte) {
      case 0x66: has_66 = true; continue;
      case 0xf2:
      case 0xf3: repeat = byte; continue;
      case 0x64:
      case 0x65: instruction->has_segment = true; continue;
      case 0x2e:
      case 0x36:
      case 0x3e:
      case 0x26: continue;
      case 0xc5: return read_vex(instruction, false);
      case 0xc4: return read_vex(instruction, true);
      case 0x62: return read_evex(instruction);
      default: return read_legacy(instruction, byte, has_66, repeat);
    }
  }
}

// --- Operands ------------------------------------------------------------------------------------------------------

static uint64_t general(const ucontext_t *context, unsigned number) {
  static const int places[] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                               REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};
  return (uint64_t)context->uc_mcontext.gregs[places[number & 15]];
}

static double from_bytes(const void *bytes, bool is_single) {
  double wide;
  float narrow;
  memcpy(&wide, bytes, is_single ? 0 : sizeof wide);
  memcpy(&narrow, bytes, sizeof narrow);
  return is_single ? (double)narrow : wide;
}

static double vector(const ucontext_t *context, unsigned number, bool is_single) {
  return from_bytes(context->uc_mcontext.fpregs->_xmm[number & 15].element, is_single);
}

static int32_t displacement(struct instruction *instruction, unsigned size) {
  uint32_t value = 0;
  for (unsigned i = 0; i < size; ++i) value |= next(instruction) << (8 * i);
  return size == 1 ? (int8_t)value : (int32_t)value;
}

// Where the operand in memory lies; `behind` bytes of the instruction follow the address.
static uintptr_t address(const ucontext_t *context, struct instruction *instruction, unsigned modrm, unsigned behind) {
  unsigned mode = modrm >> 6, base = modrm & 7;
  uint64_t sum = 0;
  if (base == 4) {
    unsigned sib = next(instruction), index = (sib >> 3 & 7) | instruction->index_high;
    base = sib & 7;
    if (index != 4) sum = general(context, index) << (sib >> 6);
    if (base == 5 && mode == 0) return sum + (uint64_t)(int64_t)displacement(instruction, 4);
  } else if (base == 5 && mode == 0) {
    uint64_t offset = (uint64_t)(int64_t)displacement(instruction, 4);
    return ctg_fp_program_counter(context) + instruction->at + behind + offset;
  }
  sum += general(context, base | instruction->base_high);
  if (mode != 0) sum += (uint64_t)(int64_t)displacement(instruction, mode == 1 ? 1 : 4);
  return sum;
}

// The scalar in the register or the memory that the last operand names.
static bool last_operand(const ucontext_t *context, struct instruction *instruction, unsigned modrm, unsigned behind,
                         bool is_single, double *value) {
  if (modrm >> 6 == 3) {
    *value = vector(context, (modrm & 7) | instruction->base_high, is_single);
    return true;
  }
  unsigned char bytes[8];
  size_t size = is_single ? 4 : 8, got;
  if (instruction->has_segment) return false;
  if (!read_memory(address(context, instruction, modrm, behind), bytes, size, &got)) return false;
  *value = from_bytes(bytes, is_single);
  return true;
}

// --- What it is ----------------------------------------------------------------------------------------------------

static char operation_of(const struct instruction *instruction) {
  unsigned opcode = instruction->opcode;
  if (instruction->map == MAP_0F38) {
    bool is_fused = opcode >= 0x96 && opcode <= 0xbf && (opcode & 15) >= 6;
    return is_fused ? CTG_NAN_MULTIPLY_ADD : CTG_NAN_UNKNOWN;
  }
  if (instruction->map != MAP_0F) return CTG_NAN_UNKNOWN;
  switch (opcode) {
    case 0x58: return '+';
    case 0x59: return '*';
    case 0x5c: return '-';
    case 0x5e: return '/';
    case 0x51: return CTG_NAN_SQUARE_ROOT;
    case 0x5d: return CTG_NAN_MINIMUM;
    case 0x5f: return CTG_NAN_MAXIMUM;
    case 0x2e:
    case 0x2f:
    case 0xc2: return CTG_NAN_COMPARISON;
    case 0x2c:
    case 0x2d:
    case 0x5a:
    case 0x5b:
    case 0xe6: return CTG_NAN_CONVERSION;
    default: return CTG_NAN_UNKNOWN;
  }
}

// An operation on a NaN is invalid only where it signals: what brought it about was another one.
static enum ctg_nan_nature nature_of(const struct ctg_nan *nan) {
  for (unsigned i = 0; i < nan->operand_count; ++i)
    if (isnan(nan->operands[i])) return CTG_NAN_CONSUMED;
  switch (nan->operation) {
    case CTG_NAN_MINIMUM:
    case CTG_NAN_MAXIMUM:
    case CTG_NAN_COMPARISON: return CTG_NAN_CONSUMED;
    case CTG_NAN_CONVERSION: return CTG_NAN_NONE;
    default: return CTG_NAN_BORN;
  }
}

static void read_operands(const ucontext_t *context, struct instruction *instruction, struct ctg_nan *nan) {
  bool takes_one = nan->operation == CTG_NAN_SQUARE_ROOT || nan->operation == CTG_NAN_CONVERSION;
  bool is_comparison = instruction->opcode == 0x2e || instruction->opcode == 0x2f;
  bool is_single = instruction->form == SCALAR_SINGLE || (is_comparison && instruction->form == PACKED_SINGLE);
  unsigned behind = instruction->opcode == 0xc2 ? 1 : 0;
  if (!is_comparison && instruction->form != SCALAR_SINGLE && instruction->form != SCALAR_DOUBLE) return;
  unsigned modrm = next(instruction), own = (modrm >> 3 & 7) | instruction->reg_high;
  if (instruction->has_source_register && !is_comparison) own = instruction->source_register;
  double last;
  if (!last_operand(context, instruction, modrm, behind, is_single, &last)) return;
  if (!takes_one) nan->operands[nan->operand_count++] = vector(context, own, is_single);
  nan->operands[nan->operand_count++] = last;
}

void ctg_fp_decode(const ucontext_t *context, struct ctg_nan *nan) {
  struct instruction instruction = {0};
  nan->operand_count = 0;
  read_memory(ctg_fp_program_counter(context), instruction.bytes, sizeof instruction.bytes, &instruction.length);
  read_instruction(&instruction);
  nan->operation = operation_of(&instruction);
  bool in_reach = nan->operation != CTG_NAN_UNKNOWN && nan->operation != CTG_NAN_MULTIPLY_ADD;
  if (in_reach && instruction.bytes[0] != 0x62 && context->uc_mcontext.fpregs)
    read_operands(context, &instruction, nan);
  nan->nature = nature_of(nan);
}

#endif
#endif
