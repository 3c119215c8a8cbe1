#pragma once

struct scenario {
  const char *name;
  void (*run)(void);
};

/// All there are, and one without a name.
extern const struct scenario scenarios[];

/// Adds random edges to a graph, takes nodes out, and asks of each new edge whether a walk over all edges agrees with
/// it on cycles. Ends the process with status 1 where it does not.
void compare_graph(void);

/// Says what noise each of some threads made, thread by thread.
void show_noise(void);

/// Says how many of some hundred updates between two locks were lost.
void lose_updates(void);

/// Says how many handlers of signals slept while they locked, and whether the program itself did.
void lock_in_handler(void);

/// Threads take the same locks in all ways at once, and find each other kept out. With
/// THREADGUARD_OPTIONS=quick-locks=no for the second. End the process with status 1 where that is not so.
void exclude_by_own_steps(void);
void exclude_by_glibc(void);
