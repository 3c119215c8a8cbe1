// aarch64: the frame record is where x29 points, at a fixed distance above the stack pointer: mov x29, sp or
// add x29, sp, #n, behind the last change of the stack pointer. Calls cgr_memory_read and the window only.
#if defined(__aarch64__)

#include "stack/prologue.h"

#include <stddef.h>

#include "stack/fde.h"
#include "CGround/memory.h"
#include "CGround/return_address.h"
#include "processor/operand.h"
#include "processor/registers.h"

#define INSTRUCTIONS 16

static int is_behind_call(const crp_images *images, uint64_t word) {
  uint64_t address = cgr_without_signature(word);
  return crp_image_at(images, address - 1) && ck_follows_call(address);
}

uint64_t ck_recover_frame_pointer(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                  uint64_t stack_pointer) {
  uint64_t start = ck_fde_function_start(crp_image_at(images, pc), pc);
  uint32_t code[INSTRUCTIONS];
  if (start == 0 || cgr_memory_read(start, code, sizeof code) < sizeof code) return 0;
  for (size_t i = 0; i < INSTRUCTIONS && start + 4 * i < pc; ++i) {
    if ((code[i] & 0xffc003ff) != 0x910003fd) continue;  // add x29, sp, #n
    uint64_t above = code[i] >> 10 & 0xfff;
    // What is taken from the stack behind that adds to the distance.
    for (size_t k = i + 1; k < INSTRUCTIONS; ++k)
      if ((code[k] & 0xffc003ff) == 0xd10003ff) above += code[k] >> 10 & 0xfff;  // sub sp, sp, #n
    uint64_t caller, frame_pointer = stack_pointer + above;
    if (!ck_window_read(window, frame_pointer + 8, &caller) || !is_behind_call(images, caller)) return 0;
    return frame_pointer;
  }
  return 0;
}

#endif
