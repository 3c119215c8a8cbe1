// The hand-over of other threads' registers and faults under ThreadSanitizer: thread_stopping.c and thread_waiting.c as
// they are. Threads call `stop` as their signal handlers would; what belongs to other files is made up.

#include "threads/thread_stopping.c"

#include <pthread.h>
#include <sched.h>
#include <stdio.h>

enum { ROUNDS = 40, THREADS = 4 };
static const uint64_t LOST_NS = 20000000000;

CGR_OF_THREAD volatile uint64_t cgr_refusals_expected;
long cgr_process_id(void) { return cgr_syscall0(SYS_getpid); }
long cgr_thread_id(void) { return cgr_syscall0(SYS_gettid); }
bool cph_thread_is_foreign(int signal) { return (void)signal, false; }
volatile uint8_t *cph_blocking_selector(void) { return NULL; }
_Thread_local cph_thread_phase cph_current_thread_phase = CPH_THREAD_RUNNING;

void ck_registers_read(ck_registers *registers, const ucontext_t *context) {
  (void)context;
  registers->values[CK_REGISTER_PC] = (uint64_t)cgr_syscall0(SYS_gettid);
}
void ck_fault_read(ck_fault *fault, int signal, const siginfo_t *info, ucontext_t *context) {
  (void)signal, (void)info;
  ck_registers_read(&fault->registers, context);
}
bool ck_has_no_alternate_stack(const ucontext_t *context) { return context == NULL; }
void ck_thread_read_own_name(char name[16], uint8_t *size) { name[0] = 't', *size = 1; }
uint64_t ck_swift_task_current(void) { return 1; }
bool ck_interrupted_system_call(uint64_t pc) { return pc == 0; }
ck_broken_call ck_restart_interrupted_call(ucontext_t *context) { return (void)context, CK_CALL_NONE; }
long ck_interrupted_call_number(const ucontext_t *context) { return (void)context, -1; }
bool ck_libc_signal_lend(void (*handler)(int, siginfo_t *, void *), uint64_t mask, cgr_kernel_action *before) {
  return (void)handler, (void)mask, (void)before, false;
}
int cph_own_sigaction(int signal, const struct sigaction *action, struct sigaction *old) {
  return (void)signal, (void)action, (void)old, -1;
}
bool ck_thread_is_gone(ck_thread *thread) { return (void)thread, false; }
// As a thread that is late is read from outside: its name too.
void ck_thread_read_status(ck_thread *thread) { thread->name[0] = 's', thread->name_size = 1; }
bool ck_thread_read_syscall(ck_thread *thread) { return (void)thread, false; }

static ck_threads records;
static _Atomic int begins, known;

static void *stops(void *place) {
  ck_thread *thread = place;
  thread->tid = (int)cgr_syscall0(SYS_gettid);
  atomic_fetch_add(&known, 1);
  while (atomic_load(&begins) == 0) sched_yield();
  size_t index = (size_t)(thread - records.entries);
  siginfo_t info = {.si_code = SI_QUEUE};
  info.si_value.sival_ptr = (void *)index;
  ucontext_t context = {0};
  if (index % 2)
    stop(&info, &context);
  else
    ck_threads_walk_in(SIGSEGV, &info, &context);
  return NULL;
}

// In every other round only the answers themselves order what is read, and not the count of them.
static int capture(bool sleeps) {
  for (size_t i = 1; i <= THREADS; ++i) records.entries[i].stop_signal = SIGPROF;
  records.count = THREADS + 1;
  ck_threads_expect_answers(&records, (int)cgr_syscall0(SYS_gettid));
  atomic_store(&begins, 1);
  int stopped = 0;
  for (uint64_t end = cgr_monotonic_ns() + LOST_NS; stopped < THREADS && cgr_monotonic_ns() < end;) {
    // A capture waits half a second at most. On a busy machine a thread may come later, and is not lost.
    if (!sleeps || !ck_threads_wait(&records)) cgr_syscall0(SYS_sched_yield);
    stopped = 0;
    for (size_t i = 1; i <= THREADS; ++i) {
      ck_thread *thread = &records.entries[i];
      if (!thread->stopped) ck_thread_read_status(thread);
      stopped += ck_thread_has_stopped(thread) && thread->registers.values[CK_REGISTER_PC] == (uint64_t)thread->tid;
    }
  }
  ck_threads_release(CK_RELEASE_FOR_BACKTRACER);
  return stopped;
}

int main(void) {
  uint64_t wake = 1ull << (WAKE_SIGNAL - 1);
  cgr_syscall4(SYS_rt_sigprocmask, SIG_BLOCK, &wake, NULL, 8);
  int wrong = 0;
  for (int round = 0; round < ROUNDS; ++round) {
    records.count = records.omitted = 0;
    cgr_zero(records.entries, sizeof *records.entries * (THREADS + 2));
    ck_threads_forget_stopping();
    ck_threads_forget_waiting();
    atomic_store(&begins, 0);
    atomic_store(&known, 0);
    pthread_t threads[THREADS];
    for (size_t i = 0; i < THREADS; ++i) pthread_create(&threads[i], NULL, stops, &records.entries[i + 1]);
    while (atomic_load(&known) < THREADS) sched_yield();
    wrong += capture(round % 2) != THREADS;
    for (size_t i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  }
  if (wrong) printf("threads were lost in %d captures of %d\n", wrong, ROUNDS);
  return wrong != 0;
}
