// x86-64: push %rbp; mov %rsp, %rbp; pushes; sub $n, %rsp. Reads through the window, and code by reads that cannot
// fault.
#if defined(__x86_64__)

#include "stack/prologue.h"

#include <stdbool.h>
#include <stddef.h>

#include "stack/fde.h"
#include "CGround/memory.h"
#include "processor/registers.h"

#define CODE_BYTES 64
/// The length of stack that is searched for a frame whose size the first instructions do not show.
#define SEARCHED_BYTES 4096
#define CHAIN_BYTES (1024 * 1024)
/// A compiler may put the prologue behind the ways out that need no frame, so far in.
#define LATE_BYTES 1024

// Intel SDM volume 2, CALL: E8 relative; FF /2 through a register or memory.
static bool is_behind_call(const crp_images *images, ck_stack_window *window, uint64_t address) {
  const crp_image *image = crp_image_at(images, address - 1);
  uint64_t word;
  if (!image || address > image->end_of_text || !ck_window_read(window, address - 8, &word)) return false;
  uint8_t code[8];
  cgr_copy(code, &word, 8);
  if (code[3] == 0xe8) return true;
  for (int length = 2; length <= 7; ++length) {
    const uint8_t *at = code + 8 - length;
    if (at[0] != 0xff || (at[1] >> 3 & 7) != 2) continue;
    int mode = at[1] >> 6, base = at[1] & 7;
    int expected = 2 + (mode != 3 && base == 4) + (mode == 1 ? 1 : mode == 2 || (mode == 0 && base == 5) ? 4 : 0);
    if (expected == length) return true;
  }
  return false;
}

typedef struct prologue {
  size_t length;
  uint64_t below;  // bytes from the stack pointer up to where %rbp points
  bool fixed;
} prologue;

// Only what sets up a frame pointer; `below` counts on behind that.
static bool read_prologue(const uint8_t *code, prologue *out) {
  static const uint8_t landing[] = {0xf3, 0x0f, 0x1e, 0xfa};  // endbr64
  static const uint8_t usual[] = {0x55, 0x48, 0x89, 0xe5};    // push %rbp; mov %rsp, %rbp
  static const uint8_t async[] = CK_SWIFT_ASYNC_PROLOGUE;
  size_t at = 0;
  *out = (prologue){.fixed = false};
  bool lands = true, is_usual = true, is_async = true;
  for (size_t i = 0; i < sizeof landing; ++i) lands = lands && code[i] == landing[i];
  if (lands) at = sizeof landing;
  for (size_t i = 0; i < sizeof usual; ++i) is_usual = is_usual && code[at + i] == usual[i];
  for (size_t i = 0; i < sizeof async; ++i) is_async = is_async && code[at + i] == async[i];
  if (!is_usual && !is_async) return false;
  at += is_usual ? sizeof usual : sizeof async;
  out->below = is_usual ? 0 : 8;
  for (; at + 8 < CODE_BYTES;) {
    if ((code[at] & 0xf8) == 0x50) {  // push
      at += 1;
    } else if (code[at] == 0x41 && (code[at + 1] & 0xf8) == 0x50) {
      at += 2;
    } else {
      break;
    }
    out->below += 8;
  }
  if (code[at] == 0x48 && code[at + 1] == 0x83 && code[at + 2] == 0xec) {  // sub $imm8, %rsp
    out->below += code[at + 3];
    at += 4;
    out->fixed = code[at - 1] < 0x80;
  } else if (code[at] == 0x48 && code[at + 1] == 0x81 && code[at + 2] == 0xec) {  // sub $imm32, %rsp
    uint32_t size;
    cgr_copy(&size, code + at + 3, 4);
    out->below += size;
    at += 7;
    out->fixed = true;
  } else {
    // All it needs has been pushed, or something stands between.
    out->fixed = true;
  }
  out->length = at;
  return true;
}

static bool read_code(ck_stack_window *window, uint64_t start, uint8_t code[CODE_BYTES]) {
  for (size_t at = 0; at < CODE_BYTES; at += 8) {
    uint64_t word;
    if (!ck_window_read(window, start + at, &word)) return false;
    cgr_copy(code + at, &word, 8);
  }
  return true;
}

static bool returns_to_call(const crp_images *images, ck_stack_window *window, uint64_t frame_pointer) {
  uint64_t caller;
  return ck_window_read(window, frame_pointer + 8, &caller) && is_behind_call(images, window, caller);
}

static bool read_prologue_at(ck_stack_window *window, uint64_t start, prologue *out) {
  uint8_t code[CODE_BYTES];
  return read_code(window, start, code) && read_prologue(code, out);
}

// Looks at the function's beginning, then for the last prologue before `pc`. Returns where it begins; 0 for none.
static uint64_t find_prologue(ck_stack_window *window, uint64_t start, uint64_t pc, prologue *out) {
  if (read_prologue_at(window, start, out)) return start;
  uint64_t end = pc - start < LATE_BYTES ? pc : start + LATE_BYTES;
  for (uint64_t at = end; at-- > start;) {
    uint64_t word;
    if (!ck_window_read(window, at, &word)) return 0;
    if ((uint32_t)word == 0xe5894855 && read_prologue_at(window, at, out)) return at;
  }
  return 0;
}

uint64_t ck_recover_frame_pointer(const crp_images *images, ck_stack_window *window, uint64_t pc,
                                  uint64_t stack_pointer) {
  uint64_t start = ck_fde_function_start(crp_image_at(images, pc), pc);
  prologue found;
  if (start != 0) start = find_prologue(window, start, pc, &found);
  if (start == 0) return 0;
  if (pc < start + found.length) return 0;
  uint64_t frame_pointer = stack_pointer + found.below;
  if (found.fixed && returns_to_call(images, window, frame_pointer)) return frame_pointer;
  for (frame_pointer = (stack_pointer + 7) & ~(uint64_t)7; frame_pointer < stack_pointer + SEARCHED_BYTES;
       frame_pointer += 8) {
    uint64_t saved;
    if (!ck_window_read(window, frame_pointer, &saved)) return 0;
    saved &= ~(1ull << 60);  // Swift's mark of an async frame
    bool outwards = saved > frame_pointer && saved - frame_pointer < CHAIN_BYTES && saved % 8 == 0;
    if (outwards && returns_to_call(images, window, frame_pointer)) return frame_pointer;
  }
  return 0;
}

// --- Return addresses --------------------------------------------------------------------------------------------

/// A function without a frame has saved few registers.
#define SAVED_WORDS 32
/// It is short.
#define FRAMELESS_BYTES 1024
/// From a call to the function that it means.
#define JUMPS_MAX 3

static uint64_t relative(const uint8_t *displacement, uint64_t end) {
  int32_t value;
  cgr_copy(&value, displacement, sizeof value);
  return end + (uint64_t)(int64_t)value;
}

// Where a function goes on that only jumps to another one: a stub of a procedure linkage table by jmp *address(%rip),
// behind endbr64 and bnd if it has them, or a function that equals another one by jmp address.
static uint64_t behind_jumps(uint64_t address) {
  for (int jumps = 0; jumps < JUMPS_MAX; ++jumps) {
    uint8_t code[16];
    if (cgr_memory_read(address, code, sizeof code) != sizeof code) return address;
    size_t at = code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa ? 4 : 0;
    at += code[at] == 0xf2;
    if (code[at] == 0xe9) {
      address = relative(code + at + 1, address + at + 5);
    } else if (code[at] == 0xff && code[at + 1] == 0x25) {
      uint64_t entry = relative(code + at + 2, address + at + 6);
      if (cgr_memory_read(entry, &address, sizeof address) != sizeof address) return 0;
    } else {
      return address;
    }
  }
  return address;
}

// What the call before `address` called: call address, or call *address(%rip). 0 for other calls.
static uint64_t called_before(uint64_t address) {
  uint8_t code[6];
  uint64_t target;
  if (cgr_memory_read(address - sizeof code, code, sizeof code) != sizeof code) return 0;
  if (code[0] == 0xff && code[1] == 0x15) {
    uint64_t entry = relative(code + 2, address);
    return cgr_memory_read(entry, &target, sizeof target) == sizeof target ? behind_jumps(target) : 0;
  }
  return code[1] == 0xe8 ? behind_jumps(relative(code + 2, address)) : 0;
}

uint64_t ck_find_return_slot(const crp_images *images, ck_stack_window *window, uint64_t pc, uint64_t stack_pointer,
                             uint64_t end) {
  if (!crp_image_at(images, pc)) return 0;
  uint64_t slot = (stack_pointer + 7) & ~(uint64_t)7;
  for (int i = 0; i < SAVED_WORDS && slot < end; ++i, slot += 8) {
    uint64_t word;
    if (!ck_window_read(window, slot, &word)) return 0;
    if (!is_behind_call(images, window, word)) continue;
    uint64_t called = called_before(word);
    if (called != 0 && called <= pc && pc - called < FRAMELESS_BYTES) return slot;
  }
  return 0;
}

#endif
