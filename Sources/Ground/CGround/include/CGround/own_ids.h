#pragma once
// The ids of this process and this thread, even if a filter of system calls refuses the call or returns 0.

#pragma GCC visibility push(hidden)

/// As getpid(2) and gettid(2). If these are refused, by the links of /proc; if there is none, as
/// cgr_own_process_note knew it. Async-signal-safe.
long cgr_process_id(void);
long cgr_thread_id(void);

/// Called once, at install.
void cgr_own_process_note(void);

#pragma GCC visibility pop
