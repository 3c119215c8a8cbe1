#pragma once
// Finds, names and stops the threads of this process, and reads their registers.

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "threads/fault.h"
#include "futex_waits.h"
#include "processor/registers.h"
#include "tasks/swift_task.h"
#include "stack/unwind.h"

#pragma GCC visibility push(hidden)

#define CK_THREADS_MAX 16384
/// How long the capture waits before it looks why a thread has not stopped, then for the next one to stop, and for all.
#define CK_STOP_FIRST_NS 2000000ull
#define CK_STOP_QUIET_NS 100000000ull
/// How often it looks meanwhile whether those that it waits for are gone.
#define CK_STOP_LOOK_NS 2000000ull
#define CK_STOP_TOTAL_NS 500000000ull

typedef enum ck_captured_by {
  CK_BY_NONE,
  CK_BY_FAULT_CONTEXT,  // crashed: the context its handler was given
  CK_BY_SIGNAL,         // stopped by a signal: the context of that handler
  CK_BY_PROC_SYSCALL,   // blocked in the kernel: program counter and stack pointer from /proc/self/task/N/syscall
  CK_BY_CALLER,         // asked for the capture itself
} ck_captured_by;

/// Who may write a thread's registers.
typedef enum ck_answer {
  CK_ANSWER_NONE,    // no answer yet
  CK_ANSWER_COMING,  // the thread itself is at it
  CK_ANSWER_GIVEN,
  CK_ANSWER_CLOSED,  // the capturing thread read what it could from outside
} ck_answer;

typedef struct ck_wait {
  term_wait kind;
  uint64_t address;  // of the lock; of the word that the kernel looks at, if it is no lock
  int owner;         // the thread that has the lock, or whose end is awaited; 0 if it is not known
  uint64_t label;    // where a queue's label is; 0 for none
} ck_wait;

typedef struct ck_thread {
  int tid;
  char name[16];
  uint8_t name_size;
  char state;          // a letter of /proc/self/task/N/status; 0 while it is not known
  bool unprotected;    // has no alternate signal stack
  int stop_signal;     // 0 if none could be sent
  uint64_t blocked;    // its signal mask if it was slow to answer
  bool stopped;        // the capturing thread has seen its answer
  bool gone;           // ended before it could stop: no part of the report
  _Atomic int answer;  // ck_answer
  ck_captured_by captured_by;
  const ck_fault *fault;  // of a thread that crashed while another one captured; NULL for all others
  ck_registers registers;
  bool in_call;  // it waits in the system call `call`, whose arguments are in `registers`
  long call;
  ck_wait wait;
  uint32_t walk;  // the last walk along owners that came by
  /// Its name as the thread itself gives it, while the capturing thread may be reading `name` from outside.
  char given_name[16];
  uint8_t given_name_size;
  uint64_t task_object;  // the Swift task that it ran; 0 for none
  ck_swift_task task;    // as read from that
  ck_stack stack;
} ck_thread;

typedef struct ck_threads {
  size_t count;
  size_t omitted;
  uint16_t places[2 * CK_THREADS_MAX];  // by id: where the thread stands in `entries`, and one; 0 for nothing
  ck_thread entries[CK_THREADS_MAX];
} ck_threads;
_Static_assert(CK_THREADS_MAX < UINT16_MAX, "a place fits");

/// Forgets all threads. Async-signal-safe.
void ck_threads_clear(ck_threads *threads);
/// The thread with this id, or NULL. Async-signal-safe.
ck_thread *ck_thread_with_id(ck_threads *threads, int tid);
/// Adds a thread; NULL if there is no room for it: it is counted as omitted. Async-signal-safe.
ck_thread *ck_threads_append(ck_threads *threads, int tid);
/// Exchanges the thread at `index` with the first one. Async-signal-safe.
void ck_threads_put_first(ck_threads *threads, size_t index);

/// Finds all threads and asks each but the caller to stop; the caller comes first. Returns without waiting. Returns
/// false if the process has no descriptor left to look for them with; no thread was asked then. Async-signal-safe. Once
/// in a process's life.
bool ck_threads_stop_all(ck_threads *threads);

/// Whether a thread that did not stop blocks the signal that it was sent, or all that it could be. Async-signal-safe.
bool ck_thread_blocks(const ck_thread *thread);
/// True once the thread's registers are there. Async-signal-safe.
bool ck_thread_has_stopped(ck_thread *thread);

/// How many threads the report has or omits. Async-signal-safe.
size_t ck_threads_total(const ck_threads *threads);

/// Waits for another thread to stop. False when the limits above are reached or none is left to wait for.
/// Async-signal-safe.
bool ck_threads_wait(ck_threads *threads);

/// A thread that crashes while another one captures hands over its fault and its context, and stays here.
/// Async-signal-safe. Returns only after ck_threads_release.
void ck_threads_walk_in(int signal, const siginfo_t *info, ucontext_t *context);

/// Has threads call `keep` again and again while they wait for the capturing one. Called once, at install.
void ck_threads_keep_time_by(void (*keep)(void));

/// Keeps the calling thread from its exit while a crash is being captured. Behind ck_threads_release, the exit of the
/// thread that crashed goes first. Async-signal-safe.
void ck_threads_stay(void);

/// Forgets what another process left in this memory: the parent, at a fork, or a child of vfork. Async-signal-safe.
void ck_threads_forget(void);

/// What stopped threads are let go on for.
typedef enum ck_release {
  CK_RELEASE_NONE,
  CK_RELEASE_FOR_BACKTRACER,  // each must answer a signal; none may end the process
  CK_RELEASE_FOR_EXIT,        // functions that exit runs may need them; none may see that a call was broken off
} ck_release;

/// Lets all stopped threads go on, and returns when they do, or after 0.2 s: who stops them next by a signal reads from
/// /proc whether they have it open. Each makes the call again that it was stopped in. Async-signal-safe.
void ck_threads_release(ck_release release);

#pragma GCC visibility pop
