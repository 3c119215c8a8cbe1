// Looks an FDE up in .eh_frame_hdr and scans its instructions. Calls nothing.

#include "stack/fde.h"

#include "CGround/memory.h"
#include "processor/registers.h"

#define DW_CFA_nop 0x00
#define DW_CFA_undefined 0x07
#define DW_CFA_def_cfa 0x0c
#define DW_CFA_def_cfa_register 0x0d
#define DW_CFA_def_cfa_offset 0x0e
// Of aarch64: the return address's state of being signed changes here, the second one with the place of the signing.
#define DW_CFA_AARCH64_negate_ra_state_with_pc 0x2c
#define DW_CFA_AARCH64_negate_ra_state 0x2d

static bool read_table(const crp_image *image, uint64_t address, void *out, uint64_t size) {
  if (address < image->eh_segment_start || address > image->eh_segment_end || size > image->eh_segment_end - address)
    return false;
  cgr_copy(out, (const void *)(uintptr_t)address, size);
  return true;
}

// The table's entries are pairs of 4-byte offsets from the header: start of the function, its FDE.
static uint64_t fde_for(const crp_image *image, uint64_t pc) {
  uint64_t low = 0, high = image->fde_count;
  int32_t entry[2];
  int64_t wanted = (int64_t)(pc - image->eh_frame_header);
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (!read_table(image, image->fde_table + middle * 8, entry, 8)) return 0;
    if (entry[0] <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || !read_table(image, image->fde_table + (low - 1) * 8, entry, 8)) return 0;
  return image->eh_frame_header + (uint64_t)(int64_t)entry[1];
}

static void skip_leb(const uint8_t *bytes, uint32_t size, uint32_t *at) {
  while (*at < size && bytes[*at] & 0x80) ++*at;
  ++*at;
}

static void skip_block(const uint8_t *bytes, uint32_t size, uint32_t *at) {
  uint32_t length = 0;
  for (uint32_t shift = 0; *at < size && shift < 28; shift += 7) {
    uint8_t byte = bytes[(*at)++];
    length |= (uint32_t)(byte & 0x7f) << shift;
    if (!(byte & 0x80)) break;
  }
  *at = length < size - *at ? *at + length : size;
}

// Steps over one instruction; false ends the scan.
static bool skip(const uint8_t *bytes, uint32_t size, uint32_t *at) {
  uint8_t op = bytes[(*at)++];
  if (op >> 6 == 1 || op >> 6 == 3 || op == 0) return true;  // advance_loc, restore, nop
  int operands = op >> 6 == 2 ? 1 : 0;                       // offset
  switch (op) {
    case 0x02: *at += 1; return true;  // advance_loc1
    case 0x03: *at += 2; return true;  // advance_loc2
    case 0x04: *at += 4; return true;  // advance_loc4
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x0d:
    case 0x0e: operands = 1; break;
    case 0x05:
    case 0x09:
    case 0x0c:
    case 0x11:
    case 0x12:
    case 0x14:
    case 0x15: operands = 2; break;
    case 0x0a:
    case 0x0b: return true;
    case DW_CFA_AARCH64_negate_ra_state:
    case DW_CFA_AARCH64_negate_ra_state_with_pc: return true;
    case 0x13:
    case 0x2e: operands = 1; break;
    case 0x0f: skip_block(bytes, size, at); return true;  // def_cfa_expression
    case 0x10:
    case 0x16:  // expression, val_expression
      skip_leb(bytes, size, at);
      skip_block(bytes, size, at);
      return true;
    default:
      if (operands == 0) return false;
  }
  for (; operands > 0; --operands) skip_leb(bytes, size, at);
  return true;
}

static bool undefines_return_address(const uint8_t *bytes, uint32_t size, uint32_t at) {
  while (at < size) {
    if (bytes[at] == DW_CFA_undefined && at + 1 < size && bytes[at + 1] == CK_RETURN_ADDRESS_COLUMN) return true;
    if (!skip(bytes, size, &at)) return false;
  }
  return false;
}

// One entry of .eh_frame behind its length word: its bytes, cut to the buffer.
static uint32_t read_entry(const crp_image *image, uint64_t address, uint8_t bytes[256]) {
  uint32_t size;
  if (!read_table(image, address, &size, 4) || size < 12 || size == 0xffffffff) return 0;
  if (size > 256) size = 256;
  return read_table(image, address + 4, bytes, size) ? size : 0;
}

// Identifier, version, augmentation, two alignment factors, return address column, augmentation data, instructions.
static bool common_entry_ends_stack(const crp_image *image, uint64_t address) {
  uint8_t bytes[256];
  uint32_t size = read_entry(image, address, bytes);
  uint32_t at = 5;
  if (size == 0 || bytes[at] != 'z') return false;
  while (at < size && bytes[at]) ++at;
  ++at;
  for (int i = 0; i < 3; ++i) skip_leb(bytes, size, &at);
  if (at >= size) return false;
  at += 1u + bytes[at];
  return undefines_return_address(bytes, size, at);
}

struct function {
  uint64_t entry;  // of the FDE
  uint64_t start, end;
  uint32_t size;  // of what was read of the entry
  uint8_t bytes[256];
};

static bool find_function(const crp_image *image, uint64_t pc, struct function *function) {
  if (!image || image->fde_count == 0) return false;
  function->entry = fde_for(image, pc);
  function->size = function->entry == 0 ? 0 : read_entry(image, function->entry, function->bytes);
  if (function->size == 0) return false;
  int32_t start;
  uint32_t length;
  cgr_copy(&start, function->bytes + 4, 4);
  cgr_copy(&length, function->bytes + 8, 4);
  function->start = function->entry + 8 + (uint64_t)(int64_t)start;  // pc-relative, as linkers write .eh_frame
  function->end = function->start + length;
  return pc >= function->start && pc < function->end;
}

uint64_t ck_fde_function(const crp_image *image, uint64_t pc, uint64_t *end) {
  struct function function;
  if (!find_function(image, pc, &function)) return 0;
  *end = function.end;
  return function.start;
}

uint64_t ck_fde_function_start(const crp_image *image, uint64_t pc) {
  uint64_t end;
  return ck_fde_function(image, pc, &end);
}

bool ck_fde_ends_stack(const crp_image *image, uint64_t pc) {
  struct function function;
  if (!find_function(image, pc, &function)) return false;
  uint32_t to_common;
  cgr_copy(&to_common, function.bytes, 4);
  // Behind pointer to CIE, start and length: augmentation data with its size, then the instructions.
  uint32_t at = 12;
  if (at < function.size) at += 1u + function.bytes[at];
  return undefines_return_address(function.bytes, function.size, at)
         || common_entry_ends_stack(image, function.entry + 4 - to_common);
}

#if defined(__x86_64__)
#define FRAME_POINTER 6
/// From the return address's slot up to the end of what a call left: both words are below it.
#define USUAL_DISTANCE 16

// An unsigned LEB128 number; beyond any that counts if it is longer than two bytes.
static uint32_t read_leb(const uint8_t *bytes, uint32_t size, uint32_t *at) {
  uint32_t start = *at;
  skip_leb(bytes, size, at);
  if (*at > size || *at - start > 2) return UINT32_MAX;
  return *at - start == 1 ? bytes[start] : (bytes[start] & 0x7fu) | (uint32_t)bytes[start + 1] << 7;
}

bool ck_fde_frame_is_apart(const crp_image *image, uint64_t pc) {
  struct function function;
  if (!find_function(image, pc, &function)) return false;
  uint32_t at = 12, distance = 8;  // a call leaves the return address
  if (at < function.size) at += 1u + function.bytes[at];
  while (at < function.size) {
    uint8_t op = function.bytes[at];
    uint32_t operand = at + 1;
    if (!skip(function.bytes, function.size, &at)) return false;
    if (op == DW_CFA_def_cfa_offset) distance = read_leb(function.bytes, function.size, &operand);
    if (op != DW_CFA_def_cfa && op != DW_CFA_def_cfa_register) continue;
    bool is_frame_pointer = read_leb(function.bytes, function.size, &operand) == FRAME_POINTER;
    if (op == DW_CFA_def_cfa) distance = read_leb(function.bytes, function.size, &operand);
    if (is_frame_pointer) return distance != USUAL_DISTANCE;
  }
  return false;
}
#else
bool ck_fde_frame_is_apart(const crp_image *image, uint64_t pc) {
  (void)image;
  (void)pc;
  return false;
}
#endif

uint64_t ck_fde_copy_unsigned(const crp_image *image, uint64_t pc, uint8_t *bytes, uint32_t capacity, uint32_t *size) {
  struct function function;
  uint32_t length;
  if (!find_function(image, pc, &function) || !read_table(image, function.entry, &length, 4)) return 0;
  *size = length + 4;
  if (length > capacity - 4 || !read_table(image, function.entry, bytes, *size)) return 0;
  bool changed = false;
  // Behind the length: pointer to CIE, start and length of the function, augmentation data with its size.
  uint32_t at = 16;
  if (at < *size) at += 1u + bytes[at];
  while (at < *size) {
    uint8_t *instruction = &bytes[at];
    if (!skip(bytes, *size, &at)) break;
    if (*instruction != DW_CFA_AARCH64_negate_ra_state && *instruction != DW_CFA_AARCH64_negate_ra_state_with_pc)
      continue;
    *instruction = DW_CFA_nop;
    changed = true;
  }
  return changed ? function.entry : 0;
}
