// ThreadGuard's lines on standard error. System calls only.

#include "ground/guard_lines.h"

#include "CGround/descriptors.h"
#include "CReportParts/harmless.h"
#include "CGround/syscalls.h"

void ctg_line_head(cgr_text *text) {
  cgr_text_string(text, "ThreadGuard[");
  cgr_text_unsigned(text, (uint64_t)cgr_syscall0(SYS_getpid));
  cgr_text_string(text, "]: ");
}

static void end(cgr_text *text, size_t start) {
  crp_text_make_harmless(text, start);
  if (text->size == text->capacity) --text->size;
  cgr_text_string(text, "\n");
}

size_t ctg_line_next(cgr_text *text, size_t start) {
  end(text, start);
  start = text->size;
  ctg_line_head(text);
  return start;
}

void ctg_lines_end(cgr_text *text, size_t start) {
  end(text, start);
  cgr_print("ThreadGuard", text->bytes, text->size);
}

void ctg_line_end(cgr_text *text) { ctg_lines_end(text, 0); }
