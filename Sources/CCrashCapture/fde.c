// Looks an FDE up in .eh_frame_hdr and scans its instructions. Reads through ck_memory_read only.

#include "fde.h"

#include "memory.h"
#include "registers.h"

#define DW_CFA_undefined 0x07

// The table's entries are pairs of 4-byte offsets from the header: start of the function, its FDE.
static uint64_t fde_for(const ck_image *image, uint64_t pc) {
  uint64_t low = 0, high = image->fde_count;
  int32_t entry[2];
  int64_t wanted = (int64_t)(pc - image->eh_frame_header);
  while (low < high) {
    uint64_t middle = (low + high) / 2;
    if (ck_memory_read(image->fde_table + middle * 8, entry, 8) < 8) return 0;
    if (entry[0] <= wanted)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0 || ck_memory_read(image->fde_table + (low - 1) * 8, entry, 8) < 8) return 0;
  return image->eh_frame_header + (uint64_t)(int64_t)entry[1];
}

static void skip_leb(const uint8_t *bytes, uint32_t size, uint32_t *at) {
  while (*at < size && bytes[*at] & 0x80) ++*at;
  ++*at;
}

// Steps over one instruction of those an entry function has; false ends the scan.
static bool skip(const uint8_t *bytes, uint32_t size, uint32_t *at) {
  uint8_t op = bytes[(*at)++];
  if (op >> 6 == 1 || op >> 6 == 3 || op == 0) return true;  // advance_loc, restore, nop
  int operands = op >> 6 == 2 ? 1 : 0;                      // offset
  switch (op) {
    case 0x02: *at += 1; return true;                        // advance_loc1
    case 0x03: *at += 2; return true;                        // advance_loc2
    case 0x04: *at += 4; return true;                        // advance_loc4
    case 0x06: case 0x07: case 0x08: case 0x0d: case 0x0e: operands = 1; break;
    case 0x05: case 0x09: case 0x0c: operands = 2; break;
    case 0x0a: case 0x0b: return true;
    default: if (operands == 0) return false;
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
static uint32_t read_entry(uint64_t address, uint8_t bytes[256]) {
  uint32_t size;
  if (ck_memory_read(address, &size, 4) < 4 || size < 12 || size == 0xffffffff) return 0;
  if (size > 256) size = 256;
  return ck_memory_read(address + 4, bytes, size) == size ? size : 0;
}

// Identifier, version, augmentation, two alignment factors, return address column, augmentation data, instructions.
static bool common_entry_ends_stack(uint64_t address) {
  uint8_t bytes[256];
  uint32_t size = read_entry(address, bytes);
  uint32_t at = 5;
  if (size == 0 || bytes[at] != 'z') return false;
  while (at < size && bytes[at]) ++at;
  ++at;
  for (int i = 0; i < 3; ++i) skip_leb(bytes, size, &at);
  if (at >= size) return false;
  at += 1u + bytes[at];
  return undefines_return_address(bytes, size, at);
}

bool ck_fde_ends_stack(const ck_image *image, uint64_t pc) {
  if (!image || image->fde_count == 0) return false;
  uint64_t fde = fde_for(image, pc);
  uint8_t bytes[256];
  uint32_t size = fde == 0 ? 0 : read_entry(fde, bytes);
  if (size == 0) return false;
  uint32_t to_common, length;
  int32_t start;
  ck_copy(&to_common, bytes, 4);
  ck_copy(&start, bytes + 4, 4);
  ck_copy(&length, bytes + 8, 4);
  uint64_t function = fde + 8 + (uint64_t)(int64_t)start;  // pc-relative, as linkers write .eh_frame
  if (pc < function || pc >= function + length) return false;
  // Behind pointer to CIE, start and length: augmentation data with its size, then the instructions.
  uint32_t at = 12;
  if (at < size) at += 1u + bytes[at];
  return undefines_return_address(bytes, size, at) || common_entry_ends_stack(fde + 4 - to_common);
}
