// A violation in a few lines on standard error. System calls only.

#include "findings/report_lines.h"

#include "CGround/descriptors.h"
#include "findings/report_json.h"
#include "ground/guard_lines.h"

#define FRAMES_MAX 5

// The text, and where its last line begins.
struct lines {
  ck_text text;
  size_t start;
};

static ck_text *next_line(struct lines *lines) {
  lines->start = ctg_line_next(&lines->text, lines->start);
  return &lines->text;
}

// The place is inside the instruction, so that looking it up by hand finds the line of the call.
static void place(ck_text *text, const ck_images *images, uintptr_t entry) {
  uintptr_t address = ctg_entry_place(entry);
  const ck_image *image = ck_image_at(images, address);
  if (!image) {
    ck_text_address(text, address);
    return;
  }
  ck_text_string(text, ck_image_name(images, image));
  ck_text_string(text, "+0x");
  ck_text_hex(text, address - image->base, 1);
}

static void stack(struct lines *lines, const ck_images *images, const struct ctg_stack *stack, const char *label) {
  if (stack->count == 0) return;
  ck_text *text = next_line(lines);
  ck_text_string(text, "  ");
  ck_text_string(text, label);
  ck_text_string(text, ":");
  for (size_t i = 0; i < stack->count && i < FRAMES_MAX; ++i) {
    ck_text_string(text, " ");
    place(text, images, stack->addresses[i]);
  }
  if (stack->count > FRAMES_MAX) ck_text_string(text, " ...");
}

static void thread_name(ck_text *text, const struct ctg_thread *thread) {
  ck_text_string(text, "thread ");
  ck_text_decimal(text, thread->id);
  if (!thread->name[0]) return;
  ck_text_string(text, " \"");
  ck_text_string(text, thread->name);
  ck_text_string(text, "\"");
}

void ctg_report_lines(const struct ctg_violation *violation, const struct ctg_thread *thread, const ck_images *images,
                      const char *path) {
  static const char *const severities[] = {[CTG_NOTE] = " (note)", [CTG_WARNING] = " (warning)", [CTG_ERROR] = ""};
  static char bytes[4096];
  struct lines lines = {.text = CK_TEXT(bytes)};
  ck_text *text = &lines.text;
  ctg_line_head(text);
  ck_text_string(text, ctg_kind_name(violation->kind));
  ck_text_string(text, severities[violation->severity]);
  ck_text_string(text, ": ");
  if (violation->message) ck_text_string(text, violation->message);
  next_line(&lines);
  ck_text_string(text, "  in ");
  thread_name(text, thread);
  if (violation->file) {
    ck_text_string(text, ", stated at ");
    ck_text_string(text, violation->file);
    ck_text_string(text, ":");
    ck_text_unsigned(text, violation->line);
  }
  if (violation->edge_count == 0) stack(&lines, images, ctg_violation_stack(violation), "stack");
  for (size_t i = 0; i < violation->edge_count && i < 4; ++i)
    stack(&lines, images, &violation->edges[i].to_stack, i == 0 ? "one order" : "another");
  if (path) {
    next_line(&lines);
    ck_text_string(text, "  crashsym ");
    ck_text_string(text, path);
  }
  ctg_lines_end(text, lines.start);
}
