#pragma once
// What THREADGUARD_OPTIONS says of locks.

#include <stdbool.h>

#pragma GCC visibility push(hidden)

struct ctg_lock_options {
  bool semaphores;      // semaphores are nodes of the graph
  bool groups;          // groups of libdispatch's are
  bool freed;           // what is held is compared with what its memory says
  bool own_steps;       // a free lock is taken by ThreadGuard's own instructions, see quick_locks.h
  // Milliseconds after which a wait, or that a lock is held, is told; 0 for none.
  unsigned wait_limit, hold_limit;
};
extern struct ctg_lock_options ctg_lock_options;

/// Takes one pair of THREADGUARD_OPTIONS. False where it is none of these, or its value is not understood.
bool ctg_lock_option(const char *key, const char *value);

#pragma GCC visibility pop
