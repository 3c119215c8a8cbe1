// The end of the process. Ordinary libc, in a function that exit calls.

#include "findings/violation_end.h"

#include <stdbool.h>
#include <stdlib.h>

#include "findings/options.h"
#include "findings/suppressions.h"
#include "ground/guard_lines.h"
#include "ground/work_stack.h"

// How long the end of the process waits for a report that another thread is making.
#define SETTLING_MS 1000

struct ctg_counts ctg_counts;
static _Atomic bool left_to_another;
static struct ctg_own_lock *reporting;

static void say_counts(unsigned long total) {
  char bytes[512];
  cgr_text text = CGR_TEXT(bytes);
  ctg_line_head(&text);
  cgr_text_unsigned(&text, total);
  cgr_text_string(&text, total == 1 ? " violation" : " violations");
  const char *separator = " (";
  for (int kind = 0; kind < CTG_KIND_COUNT; ++kind) {
    if (ctg_counts.kinds[kind] == 0) continue;
    cgr_text_string(&text, separator);
    cgr_text_unsigned(&text, ctg_counts.kinds[kind]);
    cgr_text_string(&text, " ");
    cgr_text_string(&text, ctg_kind_name((enum ctg_kind)kind));
    separator = ", ";
  }
  if (total > 0) cgr_text_string(&text, ")");
  cgr_text_string(&text, ", ");
  cgr_text_unsigned(&text, ctg_counts.repeats);
  cgr_text_string(&text, " seen again, ");
  cgr_text_unsigned(&text, ctg_counts.suppressed);
  cgr_text_string(&text, " suppressed");
  if (ctg_counts.beyond_limit > 0) {
    cgr_text_string(&text, ", ");
    cgr_text_unsigned(&text, ctg_counts.beyond_limit);
    cgr_text_string(&text, " beyond the limit not reported");
  }
  ctg_line_end(&text);
}

static void say_summary(void *argument) {
  unsigned long total = *(const unsigned long *)argument;
  if (total + ctg_counts.suppressed > 0) say_counts(total);
  ctg_suppressions_say();
}

static void at_exit(int status, void *unused) {
  (void)unused;
  if (left_to_another) return;
  ctg_own_lock_settle(reporting, SETTLING_MS);
  unsigned long total = 0;
  for (int kind = 0; kind < CTG_KIND_COUNT; ++kind) total += ctg_counts.kinds[kind];
  if (ctg_options.summary) ctg_on_work_stack(say_summary, &total);
  // The rest of exit runs as it would have, with the other status: glibc goes on with the functions that are left.
  if (status == 0 && total > 0 && ctg_options.exit_status != 0) exit((int)ctg_options.exit_status);
}

void ctg_violations_stop(void) { left_to_another = true; }

void ctg_end_prepare(struct ctg_own_lock *lock) {
  reporting = lock;
  on_exit(at_exit, NULL);
}
