// The few lines on stderr, in a single write.

#include "CGround/descriptors.h"
#include "CReportParts/harmless.h"
#include "report/report_stages.h"
#include "report/stderr_lines.h"
#include "processor/settings.h"

#define FRAMES_SHOWN 12
#define IMAGES_SHOWN 8
// The process dies later by so much at most.
#define SUMMARY_WAIT_NS 500000000ull

static void write_headline(ck_report *report, cgr_text *text) {
  ck_line_begin(report, text);
  ck_line_death(report, text);
  cgr_text_string(text, "\n");
}

static void write_task(ck_report *report, cgr_text *text) {
  const ck_task_identity *task = &report->threads.entries[0].task.own;
  if (task->id == 0) return;
  ck_line_begin(report, text);
  cgr_text_string(text, "task ");
  cgr_text_unsigned(text, task->id);
  if (task->name_size > 0) {
    cgr_text_string(text, " \"");
    crp_text_harmless(text, task->name, task->name_size);
    cgr_text_string(text, "\"");
  }
  cgr_text_string(text, "\n");
}

static void write_frames(ck_report *report, cgr_text *text) {
  const ck_stack *stack = &report->threads.entries[0].stack;
  const crp_image *seen[IMAGES_SHOWN];
  size_t seen_count = 0;
  for (uint32_t i = 0; i < stack->count && i < FRAMES_SHOWN; ++i) {
    const crp_image *image = ck_line_frame(report, text, stack, i);
    bool known = image == NULL;
    for (size_t k = 0; k < seen_count && !known; ++k) known = seen[k] == image;
    if (!known && seen_count < IMAGES_SHOWN) seen[seen_count++] = image;
  }
  for (size_t i = 0; i < seen_count; ++i) ck_line_image(report, text, seen[i]);
}

void ck_write_summary(ck_report *report) {
  // A log of lines of JSON takes no other lines.
  if (!ck_current_settings.summary || ck_current_settings.json_line) return;
  static char bytes[12288];
  cgr_text text = CGR_TEXT(bytes);
  write_headline(report, &text);
  if (report->message.size > 0) {
    ck_line_begin(report, &text);
    cgr_text_string(&text, "message: ");
    crp_text_harmless(&text, report->message.bytes, report->message.size < 1024 ? report->message.size : 1024);
    cgr_text_string(&text, "\n");
  }
  const ck_thread *thread = &report->threads.entries[0];
  size_t total = ck_threads_total(&report->threads);
  ck_line_begin(report, &text);
  cgr_text_string(&text, "thread ");
  cgr_text_decimal(&text, thread->tid);
  cgr_text_string(&text, " \"");
  crp_text_harmless(&text, thread->name, thread->name_size);
  cgr_text_string(&text, "\", ");
  cgr_text_unsigned(&text, total);
  cgr_text_string(&text, total == 1 ? " thread in all\n" : " threads in all\n");
  write_task(report, &text);
  write_frames(report, &text);
  ck_lines_where(report, &text);
  cgr_write_stderr(text.bytes, text.size, SUMMARY_WAIT_NS);
}
