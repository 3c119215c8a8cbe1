#pragma once
// Shared definitions of three files: the first finds a thread, the second asks it to stop, and the third waits for it.

#include "threads/threads.h"

#pragma GCC visibility push(hidden)

/// From here on threads may answer with their records; `capturing` is the thread that they wake.
/// Async-signal-safe.
void ck_threads_expect_answers(ck_threads *threads, int capturing);

typedef void ck_thread_found(size_t index, ck_thread *thread);
/// One pass over the folder of this process's threads, which calls `found` for each new one unless it is NULL. Returns
/// how many were new, or a negative errno. The first pass need not look for doubles. Async-signal-safe.
int ck_threads_find(ck_threads *threads, int self, bool first, ck_thread_found *found);

/// Sends the first signal to stop. Async-signal-safe.
void ck_thread_ask(size_t index, ck_thread *thread);
/// A thread that has not answered is looked at: it may block the first signal, or be beyond any. Async-signal-safe.
void ck_thread_ask_again(size_t index, ck_thread *thread, int process);

/// How many have stopped or walked in so far. Async-signal-safe.
int ck_threads_answers(void);
/// Sleeps until there are `target` answers or the time is up; returns how many there are. Async-signal-safe.
int ck_threads_sleep_until(int target, uint64_t limit_ns);

/// Takes over the notes of another crashed thread, if there are any. Async-signal-safe.
bool ck_thread_take_walk_in(ck_thread *thread);

/// For ck_threads_forget. Async-signal-safe.
void ck_threads_forget_stopping(void);
void ck_threads_forget_waiting(void);

#pragma GCC visibility pop
