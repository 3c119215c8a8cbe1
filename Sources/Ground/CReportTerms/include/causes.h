#pragma once
// Causes of death by code. Async-signal-safe: tables only.

#pragma GCC visibility push(hidden)

/// One for each row of causes.def; 0 is no cause. Swift has them by the names of their codes.
typedef enum __attribute__((enum_extensibility(closed))) term_cause {
  TERM_CAUSE_UNKNOWN __attribute__((swift_name("unknown"))),
#define CAUSE(code, words) TERM_CAUSE_##code __attribute__((swift_name(#code))),
#include "../causes.def"
#undef CAUSE
} term_cause;

/// How many there are, `unknown` included: 0 to this are causes. Async-signal-safe.
int term_cause_count(void);
/// "nullDereference"; empty for `unknown`. Async-signal-safe.
const char *term_cause_code(term_cause cause);
/// The row's words, with `#` for what is the event's own. Async-signal-safe.
const char *term_cause_words(term_cause cause);

#pragma GCC visibility pop
