#pragma once
// What the lock scenarios share. A scenario is a function that does one thing right or wrong with locks and returns,
// unless what it shows is a deadlock: then it hangs, and whoever started it ends it.

#include <errno.h>
#include <pthread.h>
#include <stddef.h>

struct scenario {
  const char *name;
  void (*run)(void);
};

/// Each ends with an element without a name.
extern const struct scenario order_scenarios[], misuse_scenarios[], wait_scenarios[], live_scenarios[],
    stress_scenarios[];

/// Runs a case of the self-test by its name ("self-test/abba-mutex"); whether there is one.
int self_test_run(const char *name);
void self_test_list(void);

/// Sits so many philosophers at a table, each of whom takes the left fork first.
void philosophers(size_t seats);

/// Ends the program with a message unless the call that is named succeeded.
void succeeded(int error, const char *what);
#define MUST(call) succeeded(call, #call)

/// Runs each function on a thread of its own. All of the threads exist at the same time; they run one after another, so
/// that what they would do to one another if they met does not happen.
void run_in_turn(size_t count, void (*const parts[])(void));
#define IN_TURN(...) \
  run_in_turn(sizeof((void (*[])(void)){__VA_ARGS__}) / sizeof(void *), (void (*const[])(void)){__VA_ARGS__})

/// Runs each function on a thread of its own, at the same time, and waits for all.
void run_together(size_t count, void (*const parts[])(void));
#define TOGETHER(...) \
  run_together(sizeof((void (*[])(void)){__VA_ARGS__}) / sizeof(void *), (void (*const[])(void)){__VA_ARGS__})

/// Locks both, the first first, and releases them.
void lock_both(pthread_mutex_t *first, pthread_mutex_t *second);
