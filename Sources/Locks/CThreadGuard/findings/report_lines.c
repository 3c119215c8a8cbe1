// A violation in a few lines on standard error. System calls only.

#include "findings/report_lines.h"

#include "CGround/descriptors.h"
#include "findings/report_json.h"
#include "ground/guard_lines.h"

#define FRAMES_MAX 5

// The text, and where its last line begins.
struct lines {
  cgr_text text;
  size_t start;
};

static cgr_text *next_line(struct lines *lines) {
  lines->start = ctg_line_next(&lines->text, lines->start);
  return &lines->text;
}

// The place is inside the instruction, so that looking it up by hand finds the line of the call.
static void place(cgr_text *text, const crp_images *images, uintptr_t entry) {
  uintptr_t address = ctg_entry_place(entry);
  const crp_image *image = crp_image_at(images, address);
  if (!image) {
    cgr_text_address(text, address);
    return;
  }
  cgr_text_string(text, crp_image_name(images, image));
  cgr_text_string(text, "+0x");
  cgr_text_hex(text, address - image->base, 1);
}

static void stack(struct lines *lines, const crp_images *images, const struct ctg_stack *stack, const char *label) {
  if (stack->count == 0) return;
  cgr_text *text = next_line(lines);
  cgr_text_string(text, "  ");
  cgr_text_string(text, label);
  cgr_text_string(text, ":");
  for (size_t i = 0; i < stack->count && i < FRAMES_MAX; ++i) {
    cgr_text_string(text, " ");
    place(text, images, stack->addresses[i]);
  }
  if (stack->count > FRAMES_MAX) cgr_text_string(text, " ...");
}

static void thread_name(cgr_text *text, const struct ctg_thread *thread) {
  cgr_text_string(text, "thread ");
  cgr_text_decimal(text, thread->id);
  if (!thread->name[0]) return;
  cgr_text_string(text, " \"");
  cgr_text_string(text, thread->name);
  cgr_text_string(text, "\"");
}

void ctg_report_lines(const struct ctg_violation *violation, const struct ctg_thread *thread, const crp_images *images,
                      const char *path) {
  static const char *const severities[] = {[CTG_NOTE] = " (note)", [CTG_WARNING] = " (warning)", [CTG_ERROR] = ""};
  static char bytes[4096];
  struct lines lines = {.text = CGR_TEXT(bytes)};
  cgr_text *text = &lines.text;
  ctg_line_head(text);
  cgr_text_string(text, ctg_kind_name(violation->kind));
  cgr_text_string(text, severities[violation->severity]);
  cgr_text_string(text, ": ");
  if (violation->message) cgr_text_string(text, violation->message);
  next_line(&lines);
  cgr_text_string(text, "  in ");
  thread_name(text, thread);
  if (violation->file) {
    cgr_text_string(text, ", stated at ");
    cgr_text_string(text, violation->file);
    cgr_text_string(text, ":");
    cgr_text_unsigned(text, violation->line);
  }
  if (violation->edge_count == 0) stack(&lines, images, ctg_violation_stack(violation), "stack");
  for (size_t i = 0; i < violation->edge_count && i < 4; ++i)
    stack(&lines, images, &violation->edges[i].to_stack, i == 0 ? "one order" : "another");
  if (path) {
    next_line(&lines);
    cgr_text_string(text, "  crashsym ");
    cgr_text_string(text, path);
  }
  ctg_lines_end(text, lines.start);
}
