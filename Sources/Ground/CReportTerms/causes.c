// The rows of causes.def. Tables only.

#include "causes.h"

static const struct {
  const char *code, *words;
} rows[] = {
    {"", ""},
#define CAUSE(code, words) {#code, words},
#include "causes.def"
#undef CAUSE
};

int term_cause_count(void) { return sizeof rows / sizeof *rows; }
const char *term_cause_code(term_cause cause) { return rows[cause].code; }
const char *term_cause_words(term_cause cause) { return rows[cause].words; }
