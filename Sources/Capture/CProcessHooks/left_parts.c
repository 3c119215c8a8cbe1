// The parts of handlers that were left. Memory only.

#include "left_parts.h"

static uint32_t in_short(uintptr_t low) { return (uint32_t)(low >> 4); }

// Something may have written over the words.
static unsigned count_of(const cph_left_parts *left) { return left->count <= CPH_SIGNAL_STACK_PARTS ? left->count : 0; }

void cph_left_parts_drop(cph_left_parts *left, int part, uintptr_t low) {
  unsigned count = count_of(left), kept = 0;
  for (unsigned i = 0; i < count; ++i) {
    if (left->parts[i] == part || (low != 0 && left->lows[i] == in_short(low))) continue;
    left->parts[kept] = left->parts[i];
    left->lows[kept++] = left->lows[i];
  }
  left->count = kept;
}

void cph_left_parts_keep(cph_left_parts *left, int part, uintptr_t low) {
  cph_left_parts_drop(left, part, low);
  if (left->count == CPH_SIGNAL_STACK_PARTS) return;
  left->parts[left->count] = (uint8_t)part;
  left->lows[left->count++] = in_short(low);
}

int cph_left_parts_choose(const cph_left_parts *left, uint32_t used) {
  unsigned count = count_of(left);
  for (unsigned oldest = 0; used != ~0u; ++oldest) {
    uint32_t taken = used;
    for (unsigned i = oldest; i < count; ++i) taken |= 1u << (left->parts[i] & 31);
    if (taken != ~0u) return __builtin_ctz(~taken);
  }
  return -1;
}
