// x86-64: the memory operand of one instruction (Intel SDM volume 2, chapter 2). Reads through cgr_memory_read.
#if defined(__x86_64__)

#include <signal.h>
#include <stddef.h>

#include "CGround/memory.h"
#include "processor/operand.h"

typedef struct decoder {
  const ck_registers *registers;
  uint8_t code[24];  // an instruction has 15 bytes at most; zero behind what could be read
  int at;
  uint8_t rex;
  bool vex;
  int map;  // of opcodes: 0, or the one behind 0F, 0F 38, 0F 3A
  uint8_t opcode;
} decoder;

// An instruction names registers by other numbers than DWARF does.
static uint64_t register_value(const decoder *d, int number) {
  static const uint8_t dwarf[8] = {0, 2, 1, 3, 7, 6, 4, 5};
  return d->registers->values[number < 8 ? dwarf[number] : number];
}

// 48 bits, sign-extended. With five levels of page tables it would be 57, but Linux hands those out on request only.
bool ck_is_canonical(uint64_t address) { return address + (1ull << 47) < 1ull << 48; }

static bool is_prefix(uint8_t byte) {
  static const uint8_t prefixes[] = {0x66, 0x67, 0xf2, 0xf3, 0xf0, 0x2e, 0x36, 0x3e, 0x26};
  for (size_t i = 0; i < sizeof prefixes; ++i)
    if (byte == prefixes[i]) return true;
  return false;
}

// False for what is relative to a thread's own segment, whose base is in no register, and for EVEX.
static bool read_opcode(decoder *d) {
  while (d->at < 8 && is_prefix(d->code[d->at])) ++d->at;
  uint8_t byte = d->code[d->at];
  if (byte == 0x64 || byte == 0x65 || byte == 0x62) return false;
  if (byte == 0xc4 || byte == 0xc5) {
    // The register bits of a VEX prefix are those of REX, inverted.
    bool three = byte == 0xc4;
    uint8_t bits = (uint8_t)~d->code[d->at + 1];
    d->vex = true;
    d->rex = three ? (uint8_t)(bits >> 5 & 7) : (uint8_t)(bits >> 5 & 4);
    d->map = three ? d->code[d->at + 1] & 3 : 1;
    d->at += three ? 3 : 2;
    d->opcode = d->code[d->at++];
    return true;
  }
  if ((byte & 0xf0) == 0x40) {
    d->rex = byte & 0xf;
    byte = d->code[++d->at];
  }
  ++d->at;
  if (byte == 0x0f) {
    byte = d->code[d->at++];
    d->map = byte == 0x38 ? 2 : byte == 0x3a ? 3 : 1;
    if (d->map > 1) byte = d->code[d->at++];
  }
  d->opcode = byte;
  return true;
}

static bool has_modrm(const decoder *d) {
  uint8_t code = d->opcode;
  if (d->map > 1) return true;
  if (d->map == 1) {
    if (d->vex) return code != 0x77;
    bool none = code <= 0x0b ? code >= 0x05 && code != 0x0d : false;
    return !(none || (code >= 0x30 && code <= 0x37) || code == 0x77 || (code >= 0x80 && code <= 0x8f)
             || (code >= 0xa0 && code <= 0xa2) || (code >= 0xa8 && code <= 0xaa) || code >= 0xff
             || (code >= 0xc8 && code <= 0xcf));
  }
  if (code < 0x40) return (code & 7) < 4;
  return code == 0x63 || code == 0x69 || code == 0x6b || (code >= 0x80 && code <= 0x8f) || code == 0xc0 || code == 0xc1
         || code == 0xc6 || code == 0xc7 || (code >= 0xd0 && code <= 0xd3) || (code >= 0xd8 && code <= 0xdf)
         || code == 0xf6 || code == 0xf7 || code >= 0xfe;
}

static int64_t displacement(const decoder *d, int at, int mod) {
  if (mod == 1) return (int8_t)d->code[at];
  int32_t value;
  cgr_copy(&value, d->code + at, 4);
  return value;
}

// The address that ModRM and SIB at `at` stand for. False if they name a register or the instruction's own place.
static bool read_address(const decoder *d, uint64_t *address) {
  int at = d->at;
  int mod = d->code[at] >> 6, rm = d->code[at] & 7;
  ++at;
  if (mod == 3 || (mod == 0 && rm == 5)) return false;
  uint64_t sum = 0;
  bool based = true;
  if (rm == 4) {
    uint8_t sib = d->code[at++];
    int index = (sib >> 3 & 7) | (d->rex & 2) << 2;
    if (index != 4) sum = register_value(d, index) << (sib >> 6);
    rm = sib & 7;
    based = mod != 0 || rm != 5;
  }
  if (based) sum += register_value(d, rm | (d->rex & 1) << 3);
  if (mod != 0 || !based) sum += (uint64_t)displacement(d, at, based ? mod : 2);
  *address = sum;
  return true;
}

static ck_operand made(ck_operand_kind kind, uint64_t address) {
  return (ck_operand){.kind = kind, .address = address, .canonical = ck_is_canonical(address)};
}

static ck_operand read_from(ck_operand_kind kind, uint64_t address) {
  uint64_t value;
  if (!ck_is_canonical(address)) return made(CK_OPERAND_MEMORY, address);
  if (cgr_memory_read(address, &value, 8) < 8) return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
  return made(kind, value);
}

// Instructions whose memory is that of a register, without being said.
static ck_operand implied(const decoder *d) {
  uint8_t code = d->opcode;
  uint64_t sp = d->registers->values[CK_REGISTER_SP];
  uint64_t source = register_value(d, 6), destination = register_value(d, 7);
  if (d->map != 0) return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
  if (code == 0xc3 || code == 0xc2) return read_from(CK_OPERAND_RETURN, sp);
  if (code == 0xac || code == 0xad) return made(CK_OPERAND_MEMORY, source);  // lods
  if (code == 0xaa || code == 0xab || code == 0xae || code == 0xaf) return made(CK_OPERAND_MEMORY, destination);
  if (code >= 0xa4 && code <= 0xa7)  // movs, cmps
    return made(CK_OPERAND_MEMORY, ck_is_canonical(source) ? destination : source);
  if (code == 0xc9) return made(CK_OPERAND_MEMORY, d->registers->values[CK_REGISTER_FP]);       // leave
  if (code >= 0x50 && code <= 0x5f) return made(CK_OPERAND_MEMORY, code < 0x58 ? sp - 8 : sp);  // push, pop
  return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
}

ck_operand ck_operand_of(const ck_registers *registers) {
  uint64_t pc = registers->values[CK_REGISTER_PC], address;
  if (!ck_is_canonical(pc)) return made(ck_came_by_return(registers) ? CK_OPERAND_RETURN : CK_OPERAND_JUMP, pc);
  decoder d = {.registers = registers};
  if (cgr_memory_read(pc, d.code, 15) == 0 || !read_opcode(&d)) return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
  if (!has_modrm(&d)) return implied(&d);
  int group = d.code[d.at] >> 3 & 7;
  bool jumps = d.map == 0 && d.opcode == 0xff && (group == 2 || group == 4);  // call and jmp through what ModRM names
  if (jumps && d.code[d.at] >> 6 == 3)
    return made(CK_OPERAND_JUMP, register_value(&d, (d.code[d.at] & 7) | (d.rex & 1) << 3));
  if (!read_address(&d, &address)) return (ck_operand){.kind = CK_OPERAND_UNKNOWN};
  return jumps ? read_from(CK_OPERAND_JUMP, address) : made(CK_OPERAND_MEMORY, address);
}

bool ck_follows_call(uint64_t address) {
  uint8_t code[7];
  if (cgr_memory_read(address - sizeof code, code, sizeof code) < sizeof code) return false;
  if (code[2] == 0xe8) return true;
  // Through a register, or through memory with any displacement: FF /2 is two to seven bytes long.
  for (int at = 0; at <= 5; ++at)
    if (code[at] == 0xff && (code[at + 1] >> 3 & 7) == 2) return true;
  return false;
}

// `ret` leaves what it took on the stack, right below the stack pointer. After a call a return address lies at it.
bool ck_came_by_return(const ck_registers *registers) {
  uint64_t words[2];
  if (cgr_memory_read(registers->values[CK_REGISTER_SP] - 8, words, sizeof words) < sizeof words) return false;
  return words[0] == registers->values[CK_REGISTER_PC] && !ck_follows_call(words[1]);
}

#endif
