// The table of rules. Calls functions of strings only.

#include "rules.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RULE(name, kind, code, severity, sentence) [CTG_RULE_##name] = {CTG_##kind, CTG_##severity, code, sentence},
static const struct ctg_rule_facts facts[CTG_RULE_COUNT] = {
#include "rules.def"
};
#undef RULE

struct ctg_rule_facts ctg_rule_facts(enum ctg_rule rule) {
  return facts[rule];
}

#define CODE_MAX 64

// How many letters must be added, taken away or replaced to make one text of the other (Levenshtein).
static unsigned distance(const char *one, const char *other) {
  unsigned row[CODE_MAX + 1];
  size_t width = strlen(other);
  if (width > CODE_MAX) width = CODE_MAX;
  for (unsigned i = 0; i <= width; ++i) row[i] = i;
  for (unsigned line = 1; one[line - 1]; ++line) {
    unsigned corner = row[0];
    row[0] = line;
    for (size_t i = 1; i <= width; ++i) {
      unsigned replaced = corner + (one[line - 1] != other[i - 1]), least = row[i] < row[i - 1] ? row[i] : row[i - 1];
      corner = row[i];
      row[i] = replaced < least + 1 ? replaced : least + 1;
    }
  }
  return row[width];
}

int ctg_rule_named(enum ctg_kind kind, const char *code, const char **nearest) {
  unsigned least = UINT32_MAX;
  *nearest = NULL;
  for (int rule = 0; rule < CTG_RULE_COUNT; ++rule) {
    if (facts[rule].kind != kind) continue;
    if (strcmp(facts[rule].code, code) == 0) return rule;
    unsigned found = distance(code, facts[rule].code);
    if (found >= least) continue;
    least = found;
    *nearest = facts[rule].code;
  }
  return -1;
}
