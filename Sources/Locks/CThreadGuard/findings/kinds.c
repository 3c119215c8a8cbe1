// The names of the kinds. Calls functions of strings only.

#include "kinds.h"

#include <string.h>

const char *ctg_kind_name(enum ctg_kind kind) {
  static const char *const names[CTG_KIND_COUNT] = {
      [CTG_LOCK_ORDER_INVERSION] = "lockOrderInversion",
      [CTG_DEADLOCK] = "deadlock",
      [CTG_LOCK_MISUSE] = "lockMisuse",
      [CTG_MAIN_QUEUE_VIOLATION] = "mainQueueViolation",
      [CTG_DATA_RACE] = "dataRace",
      [CTG_NAN] = "nan",
      [CTG_HANG] = "hang",
  };
  return names[kind];
}

int ctg_kind_named(const char *name) {
  for (int kind = 0; kind < CTG_KIND_COUNT; ++kind)
    if (strcmp(name, ctg_kind_name((enum ctg_kind)kind)) == 0) return kind;
  return -1;
}
