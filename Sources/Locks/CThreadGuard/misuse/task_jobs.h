#pragma once
// Jobs of Swift tasks, which libdispatch runs as asynchronous work. Between two jobs a thread holds no lock of a task,
// unless the task holds the lock across an await.

#pragma GCC visibility push(hidden)

/// The calling thread is about to run work of libdispatch's, or has run it. Says which locks were taken by tasks that
/// it does not run.
void ctg_task_jobs_change(void);

#pragma GCC visibility pop
