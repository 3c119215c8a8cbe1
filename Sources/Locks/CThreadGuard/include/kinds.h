#pragma once
// The kinds of violations, and their severities.

#pragma GCC visibility push(hidden)

enum ctg_kind {
  CTG_LOCK_ORDER_INVERSION,
  CTG_DEADLOCK,
  CTG_LOCK_MISUSE,
  CTG_MAIN_QUEUE_VIOLATION,
  CTG_DATA_RACE,
  CTG_NAN,
  CTG_HANG,
  CTG_KIND_COUNT
};

enum ctg_severity { CTG_NOTE, CTG_WARNING, CTG_ERROR };

/// The word that a report has for its `kind`, and that options have for it.
const char *ctg_kind_name(enum ctg_kind kind);

/// The kind of this name, or -1.
int ctg_kind_named(const char *name);

#pragma GCC visibility pop
