// Jumps with a distance of their own: jmp rel32, and b imm26.

#include "tail_calls.h"

static uint32_t word_at(const uint8_t *code) {
  return (uint32_t)code[0] | (uint32_t)code[1] << 8 | (uint32_t)code[2] << 16 | (uint32_t)code[3] << 24;
}

static size_t add(uint64_t target, uint64_t start, size_t size, uint64_t *targets, size_t count) {
  if (target - start < size || count == TERM_TAIL_CALLS_MAX) return count;
  for (size_t i = 0; i < count; ++i)
    if (targets[i] == target) return count;
  targets[count] = target;
  return count + 1;
}

static size_t of_x86_64(const uint8_t *code, size_t size, uint64_t start, uint64_t *targets) {
  size_t count = 0;
  for (size_t i = 0; i + 5 <= size; ++i)
    if (code[i] == 0xe9)
      count = add(start + i + 5 + (uint64_t)(int64_t)(int32_t)word_at(code + i + 1), start, size, targets, count);
  return count;
}

static size_t of_aarch64(const uint8_t *code, size_t size, uint64_t start, uint64_t *targets) {
  size_t count = 0;
  for (size_t i = 0; i + 4 <= size; i += 4) {
    uint32_t instruction = word_at(code + i);
    if (instruction >> 26 != 5) continue;
    int64_t distance = (int32_t)(instruction << 6) >> 4;
    count = add(start + i + (uint64_t)distance, start, size, targets, count);
  }
  return count;
}

size_t term_tail_calls(term_processor processor, const uint8_t *code, size_t size, uint64_t address,
                       uint64_t targets[TERM_TAIL_CALLS_MAX]) {
  return (processor == TERM_X86_64 ? of_x86_64 : of_aarch64)(code, size, address, targets);
}
