#pragma once
// Threads of a process that continues: the registers and a copy of the stack of each, without interrupting its work.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stack/stack_window.h"
#include "threads/threads.h"

#pragma GCC visibility push(hidden)

/// So much of a stack is copied; what lies farther out is left out.
#define CK_LIVE_COPY_BYTES (256 * 1024)
/// So many stacks are copied before the first of them is unwound.
#define CK_LIVE_BATCH 64
/// A running thread that was asked for its stack is waited for so long.
#define CK_LIVE_ANSWER_NS 50000000ull

/// Sets the copies' memory aside, once in a process. Returns false if there is none. Only one thread at a time may do
/// so. Async-signal-safe.
bool ck_live_prepare(void);

/// Copies the stacks of up to CK_LIVE_BATCH threads whose records are fresh except id, name, state and mask. A thread
/// inside a system call is read from outside; one that runs copies its stack itself, in a signal handler, and goes on.
/// Fills registers and `captured_by` of those that could be had, and `copies`, which stand until the next call.
/// One thread at a time may call it. It takes no lock, and no thread waits for another one in it.
void ck_live_copy_stacks(ck_thread *const *threads, size_t count, ck_stack_copy *copies);

/// Copies the calling thread's own stack from `registers` on, into the place of the first copy.
void ck_live_copy_own_stack(const ck_registers *registers, ck_stack_copy *copy);

/// Forgets threads that the parent asked, in the child of a fork.
void ck_live_forget(void);

/// Gives the copies' pages back.
void ck_live_release_copies(void);

#pragma GCC visibility pop
