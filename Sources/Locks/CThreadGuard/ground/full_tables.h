#pragma once
// Full tables. ThreadGuard reports each once, and then does not check entries without room.

#pragma GCC visibility push(hidden)

enum ctg_limit {
  CTG_LIMIT_THREADS,
  CTG_LIMIT_HELD,
  CTG_LIMIT_LOCKS,
  CTG_LIMIT_ORDERS,
  CTG_LIMIT_SEARCH,
  CTG_LIMIT_STACKS,
  CTG_LIMIT_COUNT
};

/// Writes one line to standard error the first time that it is called for a limit. Async-signal-safe.
void ctg_limit_reached(enum ctg_limit limit);

/// What was not checked, in a few words.
const char *ctg_limit_name(enum ctg_limit limit);

/// Whether it ever was.
int ctg_limit_was_reached(enum ctg_limit limit);

#pragma GCC visibility pop
