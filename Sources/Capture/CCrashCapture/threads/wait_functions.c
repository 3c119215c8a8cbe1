// Finds exported functions by name. Their code and the unwind tables lead to the functions that they end in. The
// handler compares addresses.

#include "threads/wait_functions.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include "CGround/look_up.h"
#include "stack/fde.h"
#include "tail_calls.h"

#define PLACES_MAX 64

#ifdef __x86_64__
#define PROCESSOR TERM_X86_64
#else
#define PROCESSOR TERM_AARCH64
#endif

static struct place {
  uint64_t start, end;
  term_wait kind;
  uint32_t frames;
} places[PLACES_MAX];
static size_t place_count;

// What several functions end in that wait for different things says nothing.
static void add(uint64_t start, uint64_t end, const term_wait_function *function) {
  for (size_t i = 0; i < place_count; ++i) {
    if (places[i].start != start) continue;
    if (places[i].kind != function->kind) places[i].kind = TERM_WAIT_NONE;
    return;
  }
  if (place_count < PLACES_MAX) places[place_count++] = (struct place){start, end, function->kind, function->frames};
}

static void add_tail_calls(const crp_images *images, uint64_t start, size_t size, const term_wait_function *function) {
  uint64_t targets[TERM_TAIL_CALLS_MAX], end;
  size_t count = term_tail_calls(PROCESSOR, (const uint8_t *)(uintptr_t)start, size, start, targets);
  const crp_image *image = crp_image_at(images, start);
  for (size_t i = 0; i < count; ++i)
    if (crp_image_at(images, targets[i]) == image && ck_fde_function(image, targets[i], &end) == targets[i])
      add(targets[i], end, function);
}

static void find(const crp_images *images, const term_wait_function *function) {
  // The library's own: what is found first may be another part's, in front of it.
  void *library = cgr_open_library(function->library, RTLD_LAZY | RTLD_NOLOAD);
  if (!library) return;
  Dl_info image;
  const ElfW(Sym) *symbol = NULL;
  void *found = cgr_look_up(library, function->name);
  if (found && dladdr1(found, &image, (void **)&symbol, RTLD_DL_SYMENT) && symbol) {
    uint64_t start = (uintptr_t)found;
    add(start, start + symbol->st_size, function);
    add_tail_calls(images, start, symbol->st_size, function);
  }
  dlclose(library);
}

void ck_wait_functions_prepare(const crp_images *images) {
  const term_wait_function *function;
  for (size_t i = 0; (function = term_wait_function_at(i)); ++i) find(images, function);
}

term_wait ck_wait_function_of(const ck_stack *stack) {
  for (uint32_t frame = 0; frame < stack->count && frame < TERM_WAIT_FRAMES; ++frame)
    for (size_t i = 0; i < place_count; ++i)
      if (stack->addresses[frame] > places[i].start && stack->addresses[frame] <= places[i].end)
        return frame < places[i].frames ? places[i].kind : TERM_WAIT_NONE;
  return TERM_WAIT_NONE;
}
