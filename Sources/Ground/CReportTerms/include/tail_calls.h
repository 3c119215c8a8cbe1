#pragma once
// Functions that another function calls at its end. Then the frame of the called function is gone, and the stack shows
// a function that its library does not export. The code here uses only data that was read.

#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define TERM_TAIL_CALLS_MAX 16

typedef enum term_processor { TERM_X86_64, TERM_AARCH64 } term_processor;

/// Where the code of a function, read from `address`, jumps to outside of itself; each once. What is no instruction may
/// look like a jump: the caller checks that a function begins there. Returns how many.
size_t term_tail_calls(term_processor processor, const uint8_t *code, size_t size, uint64_t address,
                       uint64_t targets[TERM_TAIL_CALLS_MAX]);

#pragma GCC visibility pop
