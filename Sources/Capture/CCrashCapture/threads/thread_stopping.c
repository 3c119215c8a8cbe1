// Stops threads by a signal that they do not block, and keeps them stopped. System calls only, except libc's sigaction
// through a pointer taken at install.

#include "threads/thread_stopping.h"

#include <errno.h>
#include <signal.h>
#include <time.h>

#include "CProcessHooks.h"
#include "CGround/clock.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/refusals.h"
#include "CGround/signals.h"
#include "CGround/syscalls.h"
#include "processor/interrupted_call.h"
#include "threads/libc_signal.h"
#include "threads/thread_facts.h"

static ck_threads *stopped_threads;
static _Atomic int answers;   // grows with each thread that stops
static _Atomic int awaited;   // how many answers the capturing thread sleeps for; 0 while it is at work
static _Atomic int released;  // ck_release: lets all stopped threads go on
static _Atomic int parked;
static _Atomic int walked_in;
static void (*keep_time)(void);
static int capturing_tid;
static uint64_t listening;  // the signals that on_stop is the handler of

// Wakes the capturing thread, which has it blocked. Of those that are ignored by default, should it come too late; not
// a real-time one, for which the kernel may have no room.
#define WAKE_SIGNAL SIGURG
// A stopped thread looks so often whether it may go on, which hardly ever happens. If there are more than so many, each
// looks less often: together they must leave the processors to the capture.
#define PARKED_REST_NS 20000000
#define PARKED_FEW 256
// How long one that lets them go on waits for it, at most.
#define RELEASE_REST_NS 2000000
#define RELEASE_RESTS_MAX 100
// Behind an exit, so long: a thread that would end the process too, and one whose wait cannot go on. Functions that
// exit runs may need what that one holds.
#define EXIT_RESTS 50

// Threads that crash while another one captures, by id; their records are found later.
#define WALK_INS_MAX 256
static struct {
  _Atomic int tid;
  bool unprotected;
  char name[16];
  uint8_t name_size;
  ck_fault fault;
  uint64_t task_object;
} walk_ins[WALK_INS_MAX];

void ck_threads_keep_time_by(void (*keep)(void)) { keep_time = keep; }

static void rest_for_capture(void) {
  long count = atomic_load_explicit(&parked, memory_order_relaxed);
  cgr_rest(count <= PARKED_FEW ? PARKED_REST_NS : count * (PARKED_REST_NS / PARKED_FEW));
  if (keep_time) keep_time();
}

// A sleep rather than a wait for a lock: a thread that stops here needs no other thread to wake it.
static void park(void) {
  atomic_fetch_add(&parked, 1);
  while (atomic_load_explicit(&released, memory_order_acquire) == CK_RELEASE_NONE) rest_for_capture();
  atomic_fetch_sub(&parked, 1);
}

static void answer(void) {
  int count = atomic_fetch_add(&answers, 1) + 1;
  int target = atomic_load(&awaited);
  if (target != 0 && count >= target) cgr_syscall3(SYS_tgkill, cgr_process_id(), capturing_tid, WAKE_SIGNAL);
}

int ck_threads_answers(void) { return atomic_load(&answers); }

int ck_threads_sleep_until(int target, uint64_t limit_ns) {
  uint64_t wake = 1ull << (WAKE_SIGNAL - 1);
  atomic_store(&awaited, target);
  uint64_t now = cgr_monotonic_ns(), end = now + limit_ns;
  int count = atomic_load(&answers);
  while (count < target && now < end) {
    struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)(end - now)};
    cgr_syscall4(SYS_rt_sigtimedwait, &wake, NULL, &rest, 8);
    now = cgr_monotonic_ns();
    count = atomic_load(&answers);
  }
  atomic_store(&awaited, 0);
  return count;
}

// The record that the signal names, or, if it could carry no name, the one with the thread's own id.
static ck_thread *own_record(const siginfo_t *info) {
  ck_threads *threads = stopped_threads;
  if (!threads) return NULL;
  int self = (int)cgr_thread_id();
  size_t index = (size_t)(uintptr_t)info->si_value.sival_ptr;
  if (info->si_code == SI_QUEUE && index < CK_THREADS_MAX && threads->entries[index].tid == self)
    return &threads->entries[index];
  for (size_t i = 1; i < CK_THREADS_MAX && threads->entries[i].tid != 0; ++i)
    if (threads->entries[i].tid == self) return &threads->entries[i];
  return NULL;
}

static void stop(const siginfo_t *info, void *context) {
  ck_thread *thread = own_record(info);
  // Any process may send such a signal, also to a thread that CrashKit did not ask.
  if (!thread) return;
  int open = CK_ANSWER_NONE;
  if (!atomic_compare_exchange_strong(&thread->answer, &open, CK_ANSWER_COMING)) {
    // Too late: its stack is read from the outside already.
    if (open == CK_ANSWER_CLOSED) park();
    return;
  }
  ck_registers_read(&thread->registers, context);
  thread->call = ck_interrupted_call_number(context);
  thread->in_call = thread->call >= 0;
  // One that runs none of the program's functions yet, or no more, has none of them to protect.
  bool between = cph_current_thread_phase == CPH_THREAD_STARTING || cph_current_thread_phase == CPH_THREAD_ENDING;
  thread->unprotected = !between && ck_has_no_alternate_stack(context);
  ck_thread_read_own_name(thread->given_name, &thread->given_name_size);
  thread->task_object = ck_swift_task_current();
  thread->captured_by = CK_BY_SIGNAL;
  atomic_store_explicit(&thread->answer, CK_ANSWER_GIVEN, memory_order_release);
  answer();
  park();
}

static bool is_exiting(void) { return atomic_load_explicit(&released, memory_order_acquire) == CK_RELEASE_FOR_EXIT; }

static void rest_behind_exit(void) {
  for (int rests = 0; rests < EXIT_RESTS && is_exiting(); ++rests) cgr_rest(PARKED_REST_NS);
}

static void on_stop(int signal, siginfo_t *info, void *context) {
  // It goes on, and its stack is read from the outside.
  if (cph_thread_is_foreign(signal)) return;
  volatile uint8_t *selector = cph_blocking_selector();
  if (selector) *selector = CPH_DISPATCH_ALLOW;
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  stop(info, context);
  // A wait that a signal of the program's does not end goes on. If it cannot, most processes are gone before it ends.
  if (ck_restart_interrupted_call(context) == CK_CALL_ENDS) rest_behind_exit();
  CGR_REFUSALS_END(outer);
  if (selector) *selector = CPH_DISPATCH_BLOCK;
}

void ck_threads_walk_in(int signal, const siginfo_t *info, ucontext_t *context) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  int slot = atomic_fetch_add_explicit(&walked_in, 1, memory_order_relaxed);
  if (slot < WALK_INS_MAX) {
    ck_fault_read(&walk_ins[slot].fault, signal, info, context);
    walk_ins[slot].unprotected = ck_has_no_alternate_stack(context);
    ck_thread_read_own_name(walk_ins[slot].name, &walk_ins[slot].name_size);
    walk_ins[slot].task_object = ck_swift_task_current();
    atomic_store_explicit(&walk_ins[slot].tid, (int)cgr_thread_id(), memory_order_release);
    answer();
  }
  park();
  CGR_REFUSALS_END(outer);
}

bool ck_thread_take_walk_in(ck_thread *thread) {
  int count = atomic_load_explicit(&walked_in, memory_order_relaxed);
  for (int i = 0; i < count && i < WALK_INS_MAX; ++i) {
    if (atomic_load_explicit(&walk_ins[i].tid, memory_order_acquire) != thread->tid) continue;
    thread->fault = &walk_ins[i].fault;
    thread->registers = walk_ins[i].fault.registers;
    thread->unprotected = walk_ins[i].unprotected;
    thread->state = 'R';
    cgr_copy(thread->name, walk_ins[i].name, sizeof thread->name);
    thread->name_size = walk_ins[i].name_size;
    thread->task_object = walk_ins[i].task_object;
    thread->captured_by = CK_BY_FAULT_CONTEXT;
    return true;
  }
  return false;
}

// Behind the report, whatever natively came first would have ended the process: that is the thread that crashed. But
// another one may have to end it, if functions that exit runs never return.
void ck_threads_stay(void) {
  if (is_exiting()) return;
  while (!is_exiting()) rest_for_capture();
  rest_behind_exit();
}

void ck_threads_expect_answers(ck_threads *threads, int capturing) {
  capturing_tid = capturing;
  stopped_threads = threads;
}

void ck_threads_forget_stopping(void) {
  stopped_threads = NULL;
  atomic_store(&answers, 0);
  atomic_store(&awaited, 0);
  atomic_store(&walked_in, 0);
  atomic_store(&parked, 0);
  atomic_store(&released, 0);
  listening = 0;
  cgr_zero(walk_ins, sizeof walk_ins);
}

// --- Asking ---------------------------------------------------------------------------------------------------

// glibc keeps two real-time signals for itself: its functions neither block them nor wait for them, so a thread that
// blocks all signals, or takes every signal by sigwait, is stopped by this one as well. Behind it SIGPROF: Dispatch's
// workers leave it open. The synchronous fault signals and the deadline's stay out of it.
static const uint8_t stop_signals[] = {
    CK_LIBC_SIGNAL, SIGPROF, SIGVTALRM, SIGURG,  SIGIO,   SIGXCPU, SIGWINCH, SIGUSR1, SIGUSR2,
    SIGHUP,         SIGINT,  SIGTERM,   SIGCHLD, SIGPIPE, SIGQUIT, SIGTSTP,  SIGTTIN, SIGTTOU,
    SIGPWR,         35,      36,        40,      50,      60,      64,
};

static cgr_kernel_action libcs_own;

static uint64_t all_stop_signals(void) {
  uint64_t all = 0;
  for (size_t i = 0; i < sizeof stop_signals; ++i) all |= CGR_SIGNAL_BIT(stop_signals[i]);
  return all;
}

static bool listen(int signal) {
  uint64_t bit = 1ull << (signal - 1);
  if (listening & bit) return true;
  if (signal == CK_LIBC_SIGNAL) {
    if (!ck_libc_signal_lend(on_stop, all_stop_signals(), &libcs_own)) return false;
    listening |= bit;
    return true;
  }
  struct sigaction action;
  cgr_zero(&action, sizeof action);
  action.sa_sigaction = on_stop;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ((uint64_t *)&action.sa_mask)[0] = all_stop_signals();
  // A filter may claim that it is set.
  struct sigaction now;
  cgr_zero(&now, sizeof now);
  if (cph_own_sigaction(signal, &action, NULL) != 0 || cph_own_sigaction(signal, NULL, &now) != 0) return false;
  if (now.sa_sigaction != on_stop) return false;
  listening |= bit;
  return true;
}

void ck_threads_release(ck_release release) {
  atomic_store_explicit(&released, release, memory_order_release);
  for (int rests = 0; rests < RELEASE_RESTS_MAX && atomic_load(&parked) > 0; ++rests) cgr_rest(RELEASE_REST_NS);
  // The last of them is on its way out of its handler.
  cgr_rest(RELEASE_REST_NS);
  if (listening >> (CK_LIBC_SIGNAL - 1) & 1) cgr_kernel_action_set(CK_LIBC_SIGNAL, &libcs_own);
}

static bool ask_with(size_t index, ck_thread *thread, int process, int signal) {
  if (!listen(signal)) return false;
  siginfo_t info;
  cgr_zero(&info, sizeof info);
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = process;
  info.si_value.sival_ptr = (void *)(uintptr_t)index;
  // A filter may refuse the first; the second needs no room in the queue of signals, where the first one does.
  if (cgr_syscall4(SYS_rt_tgsigqueueinfo, process, thread->tid, signal, &info) < 0
      && cgr_syscall3(SYS_tgkill, process, thread->tid, signal) < 0)
    return false;
  thread->stop_signal = signal;
  return true;
}

bool ck_thread_blocks(const ck_thread *thread) {
  if (thread->stop_signal != 0) return thread->blocked >> (thread->stop_signal - 1) & 1;
  return (thread->blocked & all_stop_signals()) == all_stop_signals();
}

void ck_thread_ask(size_t index, ck_thread *thread) {
  int process = (int)cgr_process_id();
  if (!ask_with(index, thread, process, stop_signals[0])) ask_with(index, thread, process, stop_signals[1]);
}

void ck_thread_ask_again(size_t index, ck_thread *thread, int process) {
  ck_thread_read_status(thread);
  if (ck_thread_is_gone(thread)) return;
  bool beyond = thread->state == 'Z' || thread->state == 'X';
  bool blocks = thread->stop_signal == 0 || thread->blocked >> (thread->stop_signal - 1) & 1;
  if (!beyond && !blocks) return;
  for (size_t i = 0; i < sizeof stop_signals && !beyond; ++i) {
    if (thread->blocked >> (stop_signals[i] - 1) & 1) continue;
    if (ask_with(index, thread, process, stop_signals[i])) return;
  }
  // One that blocks all and runs is being born, and answers what it was asked once it opens its mask, or it crashes too
  // and walks in; or it is ending, and soon gone. One that waits in the kernel is read from outside.
  if (!beyond && thread->stop_signal != 0 && !ck_thread_read_syscall(thread)) return;
  thread->stop_signal = 0;
}
