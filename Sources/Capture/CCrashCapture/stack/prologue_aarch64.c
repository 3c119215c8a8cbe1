// aarch64: the frame record is where x29 points, at a fixed distance above the stack pointer: mov x29, sp or
// add x29, sp, #n, behind the last change of the stack pointer. Calls cgr_memory_read and the window only.
#if defined(__aarch64__)

#include "stack/prologue.h"

#include <stdbool.h>
#include <stddef.h>

#include "stack/fde.h"
#include "CGround/memory.h"
#include "CGround/return_address.h"
#include "processor/operand.h"
#include "processor/registers.h"

#define INSTRUCTIONS 16
// A compiler may put the prologue behind the ways out that need no frame, so far in.
#define LATE_INSTRUCTIONS 256
// How far a function's frame record may lie above its stack pointer, and how much of its code is searched for a call.
#define RECORD_REACH 1024
#define SEARCHED_INSTRUCTIONS 512

static int is_behind_call(const crp_images *images, uint64_t word) {
  uint64_t address = cgr_without_signature(word);
  return crp_images_hold_code(images, address - 1) && ck_follows_call(address);
}

static bool sets_frame_pointer(uint32_t code) { return (code & 0xffc003ff) == 0x910003fd; }  // add x29, sp, #n

// Reads the function from where it sets up x29: at its beginning, or the last such place before `pc`. 0 for none.
static uint64_t find_prologue(ck_stack_window *window, uint64_t start, uint64_t pc, uint32_t code[INSTRUCTIONS]) {
  size_t size = INSTRUCTIONS * sizeof *code;
  if (cgr_memory_read(start, code, size) < size) return 0;
  for (size_t i = 0; i < INSTRUCTIONS && start + 4 * i < pc; ++i)
    if (sets_frame_pointer(code[i])) return cgr_memory_read(start + 4 * i, code, size) < size ? 0 : start + 4 * i;
  uint64_t end = pc - start < 4 * LATE_INSTRUCTIONS ? pc : start + 4 * LATE_INSTRUCTIONS;
  for (uint64_t at = end; (at -= 4) > start;) {
    uint64_t word;
    if (!ck_window_read(window, at, &word)) return 0;
    if (sets_frame_pointer((uint32_t)word)) return cgr_memory_read(at, code, size) < size ? 0 : at;
  }
  return 0;
}

uint64_t ck_recover_frame_pointer(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                  uint64_t stack_pointer) {
  uint64_t start = ck_fde_function_start(crp_image_at(images, pc), pc);
  uint32_t code[INSTRUCTIONS];
  uint64_t prologue = start != 0 ? find_prologue(window, start, pc, code) : 0;
  if (prologue == 0) return 0;
  uint64_t above = code[0] >> 10 & 0xfff;
  // What is taken from the stack behind that adds to the distance.
  for (size_t i = 1; i < INSTRUCTIONS && prologue + 4 * i < pc; ++i)
    if ((code[i] & 0xffc003ff) == 0xd10003ff) above += code[i] >> 10 & 0xfff;  // sub sp, sp, #n
  uint64_t caller, frame_pointer = stack_pointer + above;
  if (!ck_window_read(window, frame_pointer + 8, &caller) || !is_behind_call(images, caller)) return 0;
  return frame_pointer;
}

// The function that the call at `address` names, or 0.
static uint64_t target_of_call(uint64_t address, uint32_t code) {
  if ((code & 0xfc000000) != 0x94000000) return 0;  // bl
  int64_t distance = (int64_t)((uint64_t)code << 38) >> 36;
  return address + (uint64_t)distance;
}

// What the only call of `callee` in the function at `caller` returns to, or 0.
static uint64_t only_return_to(const crp_images *images, uint64_t caller, uint64_t callee) {
  static uint32_t code[SEARCHED_INSTRUCTIONS];  // one stack is walked at a time
  const crp_image *image = crp_image_at(images, caller);
  if (!image || ck_fde_function_start(image, caller) != caller) return 0;
  size_t count = cgr_memory_read(caller, code, sizeof code) / sizeof *code;
  uint64_t found = 0;
  for (size_t i = 0; i < count; ++i) {
    uint64_t at = caller + 4 * i;
    if (target_of_call(at, code[i]) != callee || ck_fde_function_start(image, at) != caller) continue;
    if (found != 0) return 0;
    found = at + 4;
  }
  return found;
}

uint64_t ck_recover_return_address(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                   uint64_t stack_pointer) {
  uint64_t function = ck_fde_function_start(crp_image_at(images, pc), pc);
  if (function == 0) return 0;
  for (uint64_t record = stack_pointer; record < stack_pointer + RECORD_REACH; record += 16) {
    uint64_t word;
    uint32_t code;
    if (!ck_window_read(window, record + 8, &word)) return 0;
    uint64_t call = cgr_without_signature(word) - 4;
    if (!is_behind_call(images, word) || cgr_memory_read(call, &code, sizeof code) != sizeof code) continue;
    uint64_t caller = target_of_call(call, code);
    uint64_t found = caller != 0 ? only_return_to(images, caller, function) : 0;
    if (found == 0) continue;
    return ck_recover_frame_pointer(images, window, found - 4, stack_pointer) == record ? found : 0;
  }
  return 0;
}

uint64_t ck_find_return_slot(const crp_images *images, ck_stack_window *window, uint64_t pc, uint64_t stack_pointer,
                             uint64_t end) {
  (void)images;
  (void)window;
  (void)pc;
  (void)stack_pointer;
  (void)end;
  return 0;
}

#endif
