#pragma once
// Reports violations. Ordinary code: it is never called from a signal handler, but from interposed functions, while the
// thread may hold any lock of the program.

#include "rules.h"
#include "violation.h"

#pragma GCC visibility push(hidden)

/// A violation of a rule, with all that the rule says. `message` goes before the rule's sentence, unless it is NULL.
static inline struct ctg_violation ctg_violation_of(enum ctg_rule rule, const char *message) {
  struct ctg_rule_facts facts = ctg_rule_facts(rule);
  return (struct ctg_violation){.kind = facts.kind,
                                .severity = facts.severity,
                                .code = facts.code,
                                .message = message ? message : facts.sentence};
}

/// Reports a violation by what the options say of its kind: suppressions, modes, file, standard error, counting.
/// Returns whether it was reported (not suppressed). Takes no lock that is interposed, changes no errno, and may be
/// called on several threads at once. What it does on the way (opening files, allocating) is not itself checked.
int ctg_violation_report(const struct ctg_violation *violation);

/// As ctg_violation_report, for a rule that the caller states itself: it has the violation, so nothing is kept while
/// the program listens.
int ctg_violation_report_own(const struct ctg_violation *violation);

/// Reads the options and the suppression file, and has the summary said at the end. A debug build that links
/// ThreadGuard does it as it starts, a preload library has to ask for it; else the first violation does. Not for
/// interposed functions. Safe from any thread, any number of times.
void ctg_violations_start(void);

/// Adds the rules of a suppression file, at most once. Lines that are not understood are named on standard error.
/// Returns 0, or an errno if the file cannot be read. Not for interposed functions.
int ctg_read_suppressions(const char *path);

#pragma GCC visibility pop
