#pragma once
// Words of the report for threads and tasks, which the JSON and the lines on standard error share. Async-signal-safe:
// tables only.

#include "task_facts.h"
#include "threads/threads.h"

#pragma GCC visibility push(hidden)

/// The thread's run state; NULL if it is not known. Async-signal-safe.
const char *ck_thread_state_name(const ck_thread *thread);
/// Why there is no stack of a thread that was asked for one. Async-signal-safe.
const char *ck_thread_why_not_stopped(const ck_thread *thread);
/// Async-signal-safe.
const char *ck_task_state_name(ck_task_state state);
/// What kind of thing a task waits for; it waits for something. Async-signal-safe.
const char *ck_awaited_name(ck_awaited awaited);
/// The kernel's id of the thread that runs a task; 0 if that is not known. Async-signal-safe.
int ck_thread_of_task(const ck_threads *threads, uint64_t task);

#pragma GCC visibility pop
