// Full tables. System calls only.

#include "ground/full_tables.h"

#include <stdatomic.h>
#include <string.h>

#include "CGround/descriptors.h"

static const char *const texts[CTG_LIMIT_COUNT] = {
    [CTG_LIMIT_THREADS] = "ThreadGuard: too many threads; the locks of further ones are not checked\n",
    [CTG_LIMIT_HELD] = "ThreadGuard: a thread holds more than 64 locks; those beyond are not checked\n",
    [CTG_LIMIT_LOCKS] = "ThreadGuard: too many locks; the order of further ones is not checked\n",
    [CTG_LIMIT_ORDERS] = "ThreadGuard: too many pairs of locks; further ones are not checked\n",
    [CTG_LIMIT_SEARCH] = "ThreadGuard: the locks' orders are too entangled; a search for cycles was cut short\n",
    [CTG_LIMIT_STACKS] = "ThreadGuard: there is no memory for a stack of its own; some checks were left out\n",
};

static _Atomic int reached[CTG_LIMIT_COUNT];

void ctg_limit_reached(enum ctg_limit limit) {
  if (atomic_exchange(&reached[limit], 1)) return;
  cgr_print("ThreadGuard", texts[limit], strlen(texts[limit]));
}

const char *ctg_limit_name(enum ctg_limit limit) {
  static const char *const names[CTG_LIMIT_COUNT] = {
      [CTG_LIMIT_THREADS] = "too many threads",
      [CTG_LIMIT_HELD] = "too many locks held by one thread",
      [CTG_LIMIT_LOCKS] = "too many locks",
      [CTG_LIMIT_ORDERS] = "too many pairs of locks",
      [CTG_LIMIT_SEARCH] = "a search for cycles was cut short",
      [CTG_LIMIT_STACKS] = "no memory for a stack",
  };
  return names[limit];
}

int ctg_limit_was_reached(enum ctg_limit limit) { return atomic_load(&reached[limit]); }
