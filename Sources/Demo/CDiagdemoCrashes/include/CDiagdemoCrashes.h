#pragma once

#include <stdint.h>

#include "hostile_crashes.h"

// Ways to die that need C or C++. None of these functions returns, unless its comment says so. They are never inlined,
// so the report has their names.

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// Memory.
void crash_null_read(void);
void crash_null_write(void);
/// Reads a member of a structure at address zero.
void crash_null_offset(void);
void crash_call_null(void);
/// Reads from an address in no mapping.
void crash_wild_read(void);
/// Writes to an address in no mapping.
void crash_wild_write(void);
/// Reads from an address that is no address on x86-64: the kernel does not say which one.
void crash_non_canonical(void);
/// Writes to its own code.
void crash_ro_page(void);
/// Calls into memory that may not be executed.
void crash_nx_page(void);
/// Reads a mapped page that lies behind the end of its file. Returns only if no file could be made.
void crash_bus_error(void);
/// Reads a page that was given back.
void crash_use_after_unmap(void);
/// Calls into a page of code that was given back.
void crash_unmapped_code(void);
/// Reads four bytes at an odd address with the processor's check of alignments switched on.
void crash_unaligned(void);
/// Writes sixteen bytes at once to an odd address.
void crash_unaligned_vector(void);

// Stacks.
void crash_stack_overflow(void);
/// Reads from address zero below `depth` frames (made even) of two functions that call each other.
void crash_mutual_recursion(unsigned depth);
/// Returns to `address` instead of its caller.
void crash_return_address(uintptr_t address);
/// Writes to address zero once its frame and those outside of it have been overwritten.
void crash_smash_stack_top(void);
/// Writes to address zero with a frame whose outer frame is itself.
void crash_frame_loop(void);
/// Pushes to a stack at address zero.
void crash_nostack(void);

// Where glibc itself gives up.
void crash_abort(void);
/// Aborts as glibc's own checks do, with a message.
void crash_abort_with_msg(void);
void crash_assert(void);
void crash_double_free(void);
void crash_free_invalid(void);
/// Overwrites what malloc keeps behind a block, and asks for another one.
void crash_heap_corruption(void);
/// Overwrites the guard that the compiler puts before a return address.
void crash_smash_stack(void);
/// Copies more than fits if the compiler has the library check it.
void crash_fortify(void);

// Functions of libc that are given a null pointer.
void crash_strlen_null(void);
void crash_readdir_null(void);
void crash_fprintf_null(void);
void crash_pthread_join_null(void);

// C++.
void crash_cxx_exception(void);
void crash_pure_virtual_call(void);

// Instructions.
void crash_undefined_instruction(void);
void crash_breakpoint(void);
/// Executes an instruction that only the kernel may.
void crash_privileged_instruction(void);
void crash_divide_by_zero(void);

// Signals and threads.
/// Makes a system call that a seccomp filter answers with SIGSYS. Returns where filters are refused.
void crash_seccomp(void);
/// Sends the signal to the calling thread; returns if the program lives on.
void crash_raise(int signal_number);
/// Writes to address zero while every signal is blocked on this thread.
void crash_signals_blocked(void);
/// Lets that many threads write to address zero at the same moment.
void crash_many_threads(unsigned count);
/// Opens descriptors until there are no more.
void crash_exhaust_descriptors(void);
/// The threads of this process.
unsigned crash_thread_count(void);
/// Runs `body` on a thread of its own named "crasher" and waits for it. 0, or an errno value.
int crash_on_thread(void (*body)(void *), void *context);

// Swift's tasks.
/// The number that the Swift runtime gives the current task; 0 outside of tasks. Returns.
uint64_t crash_current_task_id(void);

#ifdef __cplusplus
}
#endif
