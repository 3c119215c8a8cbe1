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
void count_steps(void);

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

/// Take two locks in both orders, the second time on a small stack: of a thread, a coroutine, a signal handler, two
/// threads at once, in a child of fork while ThreadGuard's own stacks are in use. End the process with status 1 if
/// anything below the stack was written to.
void invert_on_small_thread(void);
void invert_on_small_coroutine(void);
void lock_on_small_coroutine(void);
void invert_on_small_signal_stack(void);
void invert_on_two_small_threads(void);
void invert_after_fork(void);

/// Dies by SIGSEGV on one of ThreadGuard's own stacks.
void crash_on_work_stack(void);

/// Says how many bytes below its caller each interposed function of libc writes to.
void measure_stacks(void);

/// Breaks rules while no file can grow, standard error included. Ends the process with status 1 if a signal of the file
/// limit is left behind or lost.
void misuse_at_file_limit(void);
