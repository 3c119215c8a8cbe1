#pragma once
// The current thread, queue and task.

#pragma GCC visibility push(hidden)

/// The label of the queue whose work the calling thread runs, or that of libdispatch's default queue where it runs
/// none. It lives as long as the queue.
const char *ctg_current_queue_label(void);

/// The name of the calling thread, as the kernel has it; at most 15 bytes, and a terminating zero.
void ctg_current_thread_name(char name[16]);

/// The kernel's id of the calling thread.
int ctg_current_thread_id(void);

/// Names the calling thread, and marks it in reports as ThreadGuard's own. Such a thread never ends.
void ctg_begin_own_thread(const char *name);

#pragma GCC visibility pop
