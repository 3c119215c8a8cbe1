// The lines' parts. System calls only.

#include "report/stderr_lines.h"

#include <errno.h>

#include "CGround/memory.h"
#include "CReportParts/harmless.h"
#include "CReportTerms.h"
#include "processor/settings.h"

void ck_line_begin(const ck_report *report, cgr_text *text) {
  cgr_text_string(text, "CrashKit[");
  cgr_text_decimal(text, report->pid);
  cgr_text_string(text, "]: ");
}

void ck_line_name(cgr_text *text, const char *name) { crp_text_harmless(text, name, cgr_length(name)); }

// What a frame's address is, if its place does not show it: the first one interrupted, the others returned to.
static const char *mark(uint32_t index, uint8_t flags) {
  if (flags & CK_FRAME_ASYNC_RESUME_POINT) return " async";
  return index > 0 && flags & CK_FRAME_PROGRAM_COUNTER ? " interrupted" : "";
}

void ck_line_death(const ck_report *report, cgr_text *text) {
  const ck_fault *fault = &report->fault;
  ck_line_name(text, ck_current_settings.process_name);
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
  cgr_text_string(text, ")");
}

const crp_image *ck_frame_image(const ck_report *report, const ck_stack *stack, uint32_t index) {
  uint64_t address = stack->addresses[index];
  bool exact = stack->flags[index] & (CK_FRAME_PROGRAM_COUNTER | CK_FRAME_ASYNC_RESUME_POINT);
  return crp_image_at(&report->images, exact ? address : address - 1);
}

const crp_image *ck_line_place(const ck_report *report, cgr_text *text, const ck_stack *stack, uint32_t index) {
  uint64_t address = stack->addresses[index];
  const crp_image *image = ck_frame_image(report, stack, index);
  if (image) {
    ck_line_name(text, crp_image_name(&report->images, image));
    cgr_text_string(text, "+0x");
    cgr_text_hex(text, address - image->base, 1);
  } else {
    cgr_text_address(text, address);
  }
  cgr_text_string(text, mark(index, stack->flags[index]));
  cgr_text_string(text, "\n");
  return image;
}

const crp_image *ck_line_frame(const ck_report *report, cgr_text *text, const ck_stack *stack, uint32_t index) {
  ck_line_begin(report, text);
  cgr_text_string(text, index < 10 ? "  " : " ");
  cgr_text_unsigned(text, index);
  cgr_text_string(text, " ");
  return ck_line_place(report, text, stack, index);
}

void ck_line_image(const ck_report *report, cgr_text *text, const crp_image *image) {
  ck_line_begin(report, text);
  cgr_text_string(text, "image ");
  ck_line_name(text, crp_image_name(&report->images, image));
  cgr_text_string(text, " ");
  if (image->build_id_size > 0)
    cgr_text_hex_bytes(text, image->build_id, image->build_id_size);
  else
    cgr_text_string(text, "-");
  cgr_text_string(text, " ");
  ck_line_name(text, crp_image_path(&report->images, image));
  cgr_text_string(text, "\n");
}

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '+' && c <= ':') || c == '_' || c == '@' || c == '%'
         || c == '=';
}

// A word that a shell takes as it stands, in quotes if it needs them.
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

void ck_lines_where(const ck_report *report, cgr_text *text) {
  const ck_output *output = &report->output;
  const char *cut = output->error == ENOSPC ? " (cut short: no space left)" : " (cut short)";
  ck_line_begin(report, text);
  if (!ck_output_has_file(output) || output->is_second || (output->error != 0 && output->written == 0)) {
    cgr_text_string(text, "report: on stderr as numbered lines; crashsym reads them from this log\n");
    if (!output->is_second || output->path[0] == 0) return;
    ck_line_begin(report, text);
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
  ck_line_begin(report, text);
  cgr_text_string(text, "read it with: crashsym ");
  shell_word(text, output->path);
  cgr_text_string(text, "\n");
}
