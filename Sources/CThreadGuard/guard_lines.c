// What ThreadGuard says on standard error. System calls only.

#include "guard_lines.h"

#include "descriptors.h"
#include "syscalls.h"

void ctg_line_head(ck_text *text) {
  ck_text_string(text, "ThreadGuard[");
  ck_text_unsigned(text, (uint64_t)ck_syscall0(SYS_getpid));
  ck_text_string(text, "]: ");
}

void ctg_line_end(ck_text *text) {
  if (text->size == text->capacity) --text->size;
  ck_text_string(text, "\n");
  ck_print("ThreadGuard", text->bytes, text->size);
}
