// The unwinder's view of memory. Reads through cgr_memory_read; direct reads only inside mapped parts of images, which
// the caller guards against the file behind them shrinking.

#include "stack/stack_window.h"

#include "CGround/memory.h"
#include "CGround/stack_switch.h"
#include "processor/registers.h"

/// How far above the window an access still counts as climbing the stack rather than following a pointer.
#define CLIMB_BYTES (1024 * 1024)

// A copy that holds `wanted` and some way below it: a frame's saved registers lie beneath its return address. Where a
// guard page is in the way, it starts on the page of `wanted` itself.
static void fill(ck_stack_window *window, uint64_t wanted, uint64_t below, size_t size) {
  uint64_t start = (wanted - below) & ~(uint64_t)15;
  uint64_t end = start + cgr_memory_read(start, window->bytes, size);
  uint64_t page = wanted & ~(uint64_t)4095;
  if (end <= wanted && start < page) {
    start = page;
    end = start + cgr_memory_read(start, window->bytes, size);
  }
  window->start = start;
  window->end = end;
}

void ck_window_open(ck_stack_window *window, const crp_images *images, uint64_t stack_pointer) {
  window->images = images;
  window->last_image = NULL;
  window->copy = NULL;
  fill(window, stack_pointer, CGR_RED_ZONE_BYTES, CK_WINDOW_FIRST_BYTES);
}

void ck_window_open_copy(ck_stack_window *window, const crp_images *images, const ck_stack_copy *copy) {
  window->images = images;
  window->last_image = NULL;
  window->copy = copy->bytes;
  window->start = copy->start;
  window->end = copy->end;
}

static bool read_image(ck_stack_window *window, uint64_t address, uint64_t *word) {
  const crp_image *image = window->last_image;
  if (!image || address < image->base || address >= image->end) {
    image = crp_image_at(window->images, address);
    if (!image) return false;
    window->last_image = image;
  }
  bool in_frames = address >= image->eh_segment_start && address + 8 <= image->eh_segment_end;
  bool in_text = address >= image->text_segment_start && address + 8 <= image->text_segment_end;
  if (!in_frames && !in_text) return false;
  __builtin_memcpy_inline(word, (const void *)(uintptr_t)address, 8);
  return true;
}

bool ck_window_read(ck_stack_window *window, uint64_t address, uint64_t *word) {
  if (address >= window->start && address + 8 <= window->end) {
    const uint8_t *bytes = window->copy ? window->copy : window->bytes;
    __builtin_memcpy_inline(word, bytes + (address - window->start), 8);
    return true;
  }
  if (read_image(window, address, word)) return true;
  if (address + 8 > window->end && address - window->end < CLIMB_BYTES && window->copy) return false;
  if (address >= window->end && address - window->end < CLIMB_BYTES) {
    fill(window, address, 512, CK_WINDOW_BYTES);
    if (address + 8 > window->end) return false;
    __builtin_memcpy_inline(word, window->bytes + (address - window->start), 8);
    return true;
  }
  return cgr_memory_read(address, word, 8) == 8;
}
