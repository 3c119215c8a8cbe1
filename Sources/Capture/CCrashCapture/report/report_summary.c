// The few lines on stderr, in a single write.

#include <errno.h>

#include "CGround/memory.h"
#include "CGround/descriptors.h"
#include "CReportParts/harmless.h"
#include "report/report_stages.h"
#include "processor/settings.h"
#include "CReportTerms.h"

#define FRAMES_SHOWN 12
#define IMAGES_SHOWN 8
// The process dies later by so much at most.
#define SUMMARY_WAIT_NS 500000000ull

static void head(ck_report *report, cgr_text *text) {
  cgr_text_string(text, "CrashKit[");
  cgr_text_decimal(text, report->pid);
  cgr_text_string(text, "]: ");
}

static void write_headline(ck_report *report, cgr_text *text) {
  const ck_fault *fault = &report->fault;
  head(report, text);
  crp_text_harmless(text, ck_current_settings.process_name, cgr_length(ck_current_settings.process_name));
  cgr_text_string(text, " died: ");
  if (report->cause.size > 0)
    crp_text_harmless(text, report->cause.bytes, report->cause.size);
  else
    cgr_text_string(text, term_signal_words(fault->signal));
  cgr_text_string(text, " (");
  cgr_text_string(text, term_signal_name(fault->signal));
  const char *code = term_signal_code_name(fault->signal, fault->info.si_code);
  if (code) {
    cgr_text_string(text, ", ");
    cgr_text_string(text, code);
  }
  if (fault->has_address) {
    cgr_text_string(text, " at ");
    cgr_text_address(text, fault->address);
  }
  cgr_text_string(text, ")\n");
}

// What a frame's address is, where it is not what its place says: the first one interrupted, the others returned to.
static const char *mark(uint32_t index, uint8_t flags) {
  if (flags & CK_FRAME_ASYNC_RESUME_POINT) return " async";
  return index > 0 && flags & CK_FRAME_PROGRAM_COUNTER ? " interrupted" : "";
}

static void write_task(ck_report *report, cgr_text *text) {
  const ck_task_identity *task = &report->threads.entries[0].task.own;
  if (task->id == 0) return;
  head(report, text);
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
    uint64_t address = stack->addresses[i];
    bool exact = stack->flags[i] & (CK_FRAME_PROGRAM_COUNTER | CK_FRAME_ASYNC_RESUME_POINT);
    const crp_image *image = crp_image_at(&report->images, exact ? address : address - 1);
    head(report, text);
    cgr_text_string(text, i < 10 ? "  " : " ");
    cgr_text_unsigned(text, i);
    cgr_text_string(text, " ");
    if (!image) {
      cgr_text_address(text, address);
      cgr_text_string(text, mark(i, stack->flags[i]));
      cgr_text_string(text, "\n");
      continue;
    }
    const char *name = crp_image_name(&report->images, image);
    crp_text_harmless(text, name, cgr_length(name));
    cgr_text_string(text, "+0x");
    cgr_text_hex(text, address - image->base, 1);
    cgr_text_string(text, mark(i, stack->flags[i]));
    cgr_text_string(text, "\n");
    bool known = false;
    for (size_t k = 0; k < seen_count && !known; ++k) known = seen[k] == image;
    if (!known && seen_count < IMAGES_SHOWN) seen[seen_count++] = image;
  }
  for (size_t i = 0; i < seen_count; ++i) {
    const char *name = crp_image_name(&report->images, seen[i]);
    const char *path = crp_image_path(&report->images, seen[i]);
    head(report, text);
    cgr_text_string(text, "image ");
    crp_text_harmless(text, name, cgr_length(name));
    cgr_text_string(text, " ");
    if (seen[i]->build_id_size > 0)
      cgr_text_hex_bytes(text, seen[i]->build_id, seen[i]->build_id_size);
    else
      cgr_text_string(text, "-");
    cgr_text_string(text, " ");
    crp_text_harmless(text, path, cgr_length(path));
    cgr_text_string(text, "\n");
  }
}

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '+' && c <= ':') || c == '_' || c == '@' || c == '%'
         || c == '=';
}

// A word that a shell takes as it stands, in quotes where it needs them.
static void shell_word(cgr_text *text, const char *word) {
  const char *at = word;
  size_t start = text->size;
  while (is_plain(*at)) ++at;
  if (!*at) return cgr_text_string(text, word);
  cgr_text_string(text, "'");
  for (at = word; *at; ++at) {
    if (*at == '\'')
      cgr_text_string(text, "'\\''");
    else
      cgr_text_bytes(text, at, 1);
  }
  cgr_text_string(text, "'");
  crp_text_make_harmless(text, start);
}

static void write_where(ck_report *report, cgr_text *text) {
  const ck_output *output = &report->output;
  const char *cut = output->error == ENOSPC ? " (cut short: no space left)" : " (cut short)";
  head(report, text);
  if (!ck_output_has_file(output) || output->is_second || (output->error != 0 && output->written == 0)) {
    cgr_text_string(text, "report: on stderr as numbered lines; crashsym reads them from this log\n");
    if (!output->is_second || output->path[0] == 0) return;
    head(report, text);
    cgr_text_string(text, "its beginning: ");
    crp_text_harmless(text, output->path, cgr_length(output->path));
    cgr_text_string(text, cut);
    cgr_text_string(text, "\n");
    return;
  }
  cgr_text_string(text, "report: ");
  crp_text_harmless(text, output->path, cgr_length(output->path));
  if (output->cut) cgr_text_string(text, cut);
  cgr_text_string(text, "\n");
  head(report, text);
  cgr_text_string(text, "read it with: crashsym ");
  shell_word(text, output->path);
  cgr_text_string(text, "\n");
}

void ck_write_summary(ck_report *report) {
  if (!ck_current_settings.summary) return;
  static char bytes[12288];
  cgr_text text = CGR_TEXT(bytes);
  write_headline(report, &text);
  if (report->message.size > 0) {
    head(report, &text);
    cgr_text_string(&text, "message: ");
    crp_text_harmless(&text, report->message.bytes, report->message.size < 1024 ? report->message.size : 1024);
    cgr_text_string(&text, "\n");
  }
  const ck_thread *thread = &report->threads.entries[0];
  size_t total = ck_threads_total(&report->threads);
  head(report, &text);
  cgr_text_string(&text, "thread ");
  cgr_text_decimal(&text, thread->tid);
  cgr_text_string(&text, " \"");
  crp_text_harmless(&text, thread->name, thread->name_size);
  cgr_text_string(&text, "\", ");
  cgr_text_unsigned(&text, total);
  cgr_text_string(&text, total == 1 ? " thread in all\n" : " threads in all\n");
  write_task(report, &text);
  write_frames(report, &text);
  write_where(report, &text);
  cgr_write_stderr(text.bytes, text.size, SUMMARY_WAIT_NS);
}
