// The rows of own_code.def. A table only.

#include "own_code.h"

#include <stddef.h>

static const struct {
  term_own kind;
  const char *name;
} rows[] = {
#define OWN(kind, name) {TERM_OWN_##kind, name},
#define FORMER OWN
#include "own_code.def"
#undef FORMER
#undef OWN
};

const char *term_own_name(term_own kind, int place) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; ++i)
    if (rows[i].kind == kind && place-- == 0) return rows[i].name;
  return NULL;
}
