#pragma once
// Semaphores in the order of locks, with THREADGUARD_OPTIONS=semaphores=yes. A thread that has waited for a semaphore
// holds it until any thread posts it. If a thread posts a semaphore while it holds a lock, the semaphore comes before
// that lock, because a thread that waits for the post also waits for the lock.

#include "threads/thread_state.h"

#pragma GCC visibility push(hidden)

/// The calling thread, where semaphores are looked at; or NULL.
struct ctg_thread_state *ctg_semaphores_self(void);

/// Checks the order of the wait, and then notes what the thread waits for, until ctg_wait_ends.
void ctg_semaphore_wait_begins(struct ctg_thread_state *self, uintptr_t semaphore, const uintptr_t *frame);

/// The thread got it, by a try or with a time limit or without.
void ctg_semaphore_taken(struct ctg_thread_state *self, uintptr_t semaphore, bool by_try, const uintptr_t *frame);

/// The thread is about to post it.
void ctg_semaphore_posted(struct ctg_thread_state *self, uintptr_t semaphore, const uintptr_t *frame);

#pragma GCC visibility pop
