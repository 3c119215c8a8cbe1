// What ThreadGuard says on standard error. System calls only.

#include "ground/guard_lines.h"

#include "CGround/descriptors.h"
#include "CReportParts/harmless.h"
#include "CGround/syscalls.h"

void ctg_line_head(ck_text *text) {
  ck_text_string(text, "ThreadGuard[");
  ck_text_unsigned(text, (uint64_t)ck_syscall0(SYS_getpid));
  ck_text_string(text, "]: ");
}

static void end(ck_text *text, size_t start) {
  ck_text_make_harmless(text, start);
  if (text->size == text->capacity) --text->size;
  ck_text_string(text, "\n");
}

size_t ctg_line_next(ck_text *text, size_t start) {
  end(text, start);
  start = text->size;
  ctg_line_head(text);
  return start;
}

void ctg_lines_end(ck_text *text, size_t start) {
  end(text, start);
  ck_print("ThreadGuard", text->bytes, text->size);
}

void ctg_line_end(ck_text *text) { ctg_lines_end(text, 0); }
