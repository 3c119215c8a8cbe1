#pragma once
// The threads of the process, as the kernel knows them.

#pragma GCC visibility push(hidden)

/// Calls `visit` with each thread's id, in no order. Those that come or go meanwhile may be missing. System calls only.
void ctg_thread_ids_visit(void (*visit)(int thread, void *context), void *context);

/// What a thread does, as the kernel has it: 'R' where it runs or could, 'S' where it sleeps; 0 if it is gone.
/// System calls only.
char ctg_thread_run_state(int thread);

#pragma GCC visibility pop
