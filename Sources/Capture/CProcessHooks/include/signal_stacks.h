#pragma once
// The signal stacks of threads: memory for each thread, in parts. The kernel always uses a part of it. The
// program's alternate stack is kept here, and the program's handlers still run on it (handler_places.h).

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// Signals come to one part while a handler of the program has not yet returned from another. The first part is the
/// largest: a handler that the program has set by a system call of its own runs there.
#define CPH_SIGNAL_STACK_PARTS 32
/// What a part has room for, besides the context that the kernel puts there (AT_MINSIGSTKSZ): our handlers.
/// HandlerTests measures what they use.
#define CPH_HANDLER_STACK_BYTES (8 * 1024)
/// And the first part, for a handler that we know nothing of. Pages that are never used cost address space only.
#define CPH_UNKNOWN_HANDLER_STACK_BYTES (128 * 1024)

/// SS_AUTODISARM, which libc's headers do not have.
#define CPH_SS_AUTODISARM (1u << 31)

/// Reads the machine's sizes. Called once, at install; threads get their stacks from then on.
void cph_signal_stacks_prepare(void);

/// No thread gets stacks from then on, and the calling one loses its own. Not for handlers.
void cph_signal_stacks_retire(void);

/// Gives the calling thread its stacks. One that the program has set before is kept as the program's. False if there is
/// no memory, and where the thread runs on the program's stack right now. Async-signal-safe.
bool cph_signal_stack_attach(void);

/// Whether the calling thread has its stacks. Async-signal-safe.
bool cph_signal_stack_is_attached(void);

/// Whether a stack is a part of any thread's, by its size. Async-signal-safe.
bool cph_signal_stack_is_one_of_ours(const stack_t *stack);

/// Whether the stack that the kernel knows for the thread is one of ours, and the thread's words do not say so: what
/// overran its own stack has written over them. Async-signal-safe.
bool cph_signal_stack_is_lost(const stack_t *kernels);

/// Takes the calling thread's stacks back, as the thread ends; the program's is the kernel's again. Not for handlers.
void cph_signal_stack_detach(void);

/// The calling thread's alternate stack as the program set it, in the form in which a context has it; one of no size is
/// none. Async-signal-safe.
stack_t cph_signal_stack_programs(void);

/// Returns the same, as a handler of the program begins. A stack with SS_AUTODISARM is then no longer the program's:
/// the kernel takes it away for each handler, wherever that runs. Async-signal-safe.
stack_t cph_signal_stack_enter_handler(void);

/// For a child of vfork that sets a handler: the kernel calls that one past us. So the child gets in the kernel what
/// the program has set. Async-signal-safe.
void cph_signal_stack_childs_own(void);

/// Makes it the program's as a return from a handler does, whose context has it. Async-signal-safe.
void cph_signal_stack_restore(stack_t stack);

/// Which part of the calling thread's stacks holds an address; -1 if none does. Async-signal-safe.
int cph_signal_stack_part_at(uintptr_t address);

/// Memory of the calling thread beside its stacks, all 0 at first; only for a thread that has them. Async-signal-safe.
#define CPH_SIGNAL_STACK_STATE_BYTES 0x2f0
void *cph_signal_stack_state(void);

/// An address that nothing can be written to, for a thread that has stacks: below them, if it does not share its
/// memory. And whether an address is that one. Async-signal-safe.
uintptr_t cph_signal_stack_end(void);
bool cph_signal_stack_is_end(uintptr_t address);

/// A part, as sigaltstack takes it. Async-signal-safe.
stack_t cph_signal_stack_part(int part);

/// Whether the stack is in use and holds the address, as the kernel sees it. Async-signal-safe.
bool cph_stack_holds(const stack_t *stack, uintptr_t address);

#pragma GCC visibility pop
