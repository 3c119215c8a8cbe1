#pragma once

// Deaths that make a report difficult, programs that end without a signal handler, and programs that only seem to
// crash. A crash itself is a write to address zero, by crash_null_write(). Each function returns only if it is
// impossible on this machine, unless its comment says otherwise.

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

// Locks that are held.
/// With malloc's lock held, by malloc itself, which runs into a damaged list.
void crash_with_malloc_locked(void);
/// While one thread is inside dlopen and another inside dl_iterate_phdr. Makes and removes a pipe in the working
/// folder.
void crash_with_loader_locked(void);
/// While another thread holds stdout and stderr.
void crash_with_stdio_locked(void);

// What runs out.
void crash_without_descriptors(void);
/// With no address space left to be mapped.
void crash_without_address_space(void);
/// Once the disk that holds `folder` has no byte left; for a small one.
void crash_with_disk_full(const char *folder);
/// Every descriptor closed and 300 files of the program's own opened in their places, in the folder own-files of the
/// working folder.
void crash_with_descriptors_reopened(void);
/// Once `folder` and what is in it are gone.
void crash_with_folder_removed(const char *folder);
/// Cuts each *.ring of `folder` to nothing. Returns how many.
int cut_rings(const char *folder);

// Other threads.
/// While another thread loads and unloads a library without end.
void crash_while_unloading(void);
/// Beside `count` threads, which block all signals if asked to.
void crash_beside_threads(int count, bool blocking);
/// Beside a thread that waits, uninterruptibly, for its vfork's child.
void crash_beside_vfork(void);
/// On another thread, with the main thread gone.
void crash_without_main_thread(void);
/// While four threads start and join others without end.
void crash_while_starting_threads(void);
/// While a profiler's timer interrupts four busy threads.
void crash_while_profiling(void);

// Where the crash is.
/// In the child of a fork, once it has called `in_child`; the parent ends with status 3 if the child died by SIGSEGV,
/// else with 4.
void crash_in_forked_child(void (*in_child)(void));
/// In the parent of a fork, whose child outlives it and then writes the file child-lives.
void crash_in_forking_parent(void);
void crash_in_signal_handler(void);
/// On a stack that swapcontext switched to.
void crash_on_coroutine(void);
/// Called back by a function of libc, which keeps no frame pointer.
void crash_without_frame_pointers(void);
/// Another process sends SIGSEGV.
void crash_by_other_process(void);

// What the kernel refuses.
void crash_not_dumpable(void);
/// With system calls refused that look into processes: process_vm_readv, ptrace.
void crash_with_calls_refused(bool read, bool trace);
/// Has the calls refused that container engines refuse by default: ptrace, process_vm_readv, perf_event_open, …
void refuse_container_calls(void);
/// With no right to `folder` left; for users who need rights.
void crash_with_folder_closed(const char *folder);

// Handlers of the program's own for SIGSEGV.
/// Installs one that calls the action before it.
void install_chaining_handler(void);
/// Installs one that restores the default action and raises the signal again.
void install_reraising_handler(void);
/// Installs one that ends the process at once, with status 3.
void install_exiting_handler(void);

// Deaths without a signal handler.
/// Ends at once with status 3, past everything that is to be done at exit.
void end_at_once(void);
/// The same by the system call itself, past libc.
void end_by_system_call(void);
/// Allocates and writes memory until it is stopped.
void use_up_memory(void);
/// Another process, a watchdog, kills this one, which never ends by itself.
void hang_until_killed(void);

// No crash: each returns when it has checked that all went as without a report's library; false where not.
bool handle_sigterm(void);
bool ignore_sigpipe(void);
/// The handler opens the page.
bool repair_by_protection(int times);
/// The handler jumps out.
bool repair_by_jump(int times);
/// The handler sets the program counter behind the access.
bool repair_by_advancing(int times);
/// Forks and runs /bin/true, with a thread that waits beside.
bool run_children(int times);

#ifdef __cplusplus
}
#endif
