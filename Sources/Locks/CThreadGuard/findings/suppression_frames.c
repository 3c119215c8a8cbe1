// The functions on the stacks of a violation. Calls symbols.c only.

#include "findings/suppression_frames.h"

static void add(struct ctg_frames *frames, uintptr_t address) {
  size_t at = frames->count;
  while (at > 0 && frames->symbols[at - 1].address > address) --at;
  if (at > 0 && frames->symbols[at - 1].address == address) return;
  if (frames->count == CTG_FRAMES_MAX) return;
  // The names are not there yet.
  for (size_t i = frames->count; i > at; --i) frames->symbols[i].address = frames->symbols[i - 1].address;
  frames->symbols[at].address = address;
  ++frames->count;
}

static void add_stack(struct ctg_frames *frames, const struct ctg_stack *stack) {
  for (size_t i = 0; i < stack->count; ++i) add(frames, ctg_entry_place(stack->addresses[i]));
}

void ctg_frames_gather(struct ctg_frames *frames, const struct ctg_violation *violation) {
  frames->count = 0;
  frames->is_named = false;
  for (size_t i = 0; i < violation->stack_count; ++i) add_stack(frames, &violation->stacks[i].stack);
  for (size_t i = 0; i < violation->edge_count; ++i) {
    add_stack(frames, &violation->edges[i].from_stack);
    add_stack(frames, &violation->edges[i].to_stack);
  }
}

void ctg_frames_name(struct ctg_frames *frames, const crp_images *images) {
  if (frames->is_named) return;
  frames->is_named = true;
  for (size_t i = 0; i < frames->count; ++i) frames->symbols[i].name[0] = 0;
  for (size_t first = 0; first < frames->count;) {
    const crp_image *image = crp_image_at(images, frames->symbols[first].address);
    size_t next = first + 1;
    while (next < frames->count && crp_image_at(images, frames->symbols[next].address) == image) ++next;
    if (image) ctg_symbols_find(images, image, frames->symbols + first, next - first);
    first = next;
  }
}
