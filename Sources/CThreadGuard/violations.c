// From what is found wrong to what people read. No libc but what options.c names.

#include "violations.h"

#include <errno.h>

#include "descriptors.h"
#include "guard_lines.h"
#include "options.h"
#include "violation_store.h"

__thread int ctg_busy;

static __attribute__((constructor)) void prepare(void) {
  ck_standard_error_prepare();
  ctg_options_prepare();
}

static void say(const struct ctg_violation *violation) {
  char bytes[2048];
  ck_text text = CK_TEXT(bytes);
  ctg_line_head(&text);
  if (violation->file) {
    ck_text_string(&text, violation->file);
    ck_text_string(&text, ":");
    ck_text_unsigned(&text, violation->line);
    ck_text_string(&text, ": ");
  }
  ck_text_string(&text, violation->message);
  ctg_line_end(&text);
}

static int report(const struct ctg_violation *violation, bool is_own) {
  int kept_errno = errno;
  ++ctg_busy;
  enum ctg_violation_mode mode = ctg_mode_of(violation->kind);
  bool listens = ctg_program_listens();
  if (listens ? !is_own : mode == CTG_MODE_COLLECT) ctg_store_keep(violation);
  if (!listens && mode != CTG_MODE_COLLECT) say(violation);
  --ctg_busy;
  errno = kept_errno;
  return 1;
}

int ctg_violation_report(const struct ctg_violation *violation) { return report(violation, false); }
int ctg_violation_report_own(const struct ctg_violation *violation) { return report(violation, true); }

int ctg_read_suppressions(const char *path) {
  (void)path;
  return ENOENT;
}
