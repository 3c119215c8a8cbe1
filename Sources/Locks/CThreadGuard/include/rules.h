#pragma once
// The rules that ThreadGuard checks. rules.def lists them.

#include "kinds.h"

#pragma GCC visibility push(hidden)

#define RULE(name, kind, code, severity, sentence) CTG_RULE_##name,
enum ctg_rule {
#include "../rules.def"
  CTG_RULE_COUNT
};
#undef RULE

/// What a report says of a rule: its kind, its code within the kind, how grave it is, and one sentence.
struct ctg_rule_facts {
  enum ctg_kind kind;
  enum ctg_severity severity;
  const char *code, *sentence;
};

struct ctg_rule_facts ctg_rule_facts(enum ctg_rule rule);

/// The rule of this code within a kind, or -1. `nearest` is the code of the kind that is most like it, or NULL if the
/// kind has no rule.
int ctg_rule_named(enum ctg_kind kind, const char *code, const char **nearest);

#pragma GCC visibility pop
