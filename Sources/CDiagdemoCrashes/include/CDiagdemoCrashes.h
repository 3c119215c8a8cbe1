#pragma once

#include "hostile_crashes.h"

// Ways to die that only C and C++ can bring about for real. None of these returns, but where it says so.
// Each is a function of its own that is never inlined, so that its name stands in the report.

#ifdef __cplusplus
extern "C" {
#endif

// Memory.
void crash_null_read(void);
void crash_null_write(void);
void crash_call_null(void);
/// Reads from an address in no mapping.
void crash_wild_read(void);
/// Writes to an address in no mapping.
void crash_wild_write(void);
/// Reads from an address that is no address on x86-64: the kernel does not say which one.
void crash_non_canonical(void);
void crash_ro_page(void);
/// Calls into memory that may not be executed.
void crash_nx_page(void);
void crash_stack_overflow(void);
/// Reads a mapped page that lies behind the end of its file. Returns where no file could be made.
void crash_bus_error(void);

// The heap, where glibc itself gives up.
void crash_double_free(void);
void crash_free_invalid(void);

// Instructions.
void crash_undefined_instruction(void);
void crash_breakpoint(void);
void crash_divide_by_zero(void);

// Giving up on purpose.
void crash_abort(void);
void crash_assert(void);
void crash_cxx_exception(void);
void crash_pure_virtual_call(void);

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

#ifdef __cplusplus
}
#endif
