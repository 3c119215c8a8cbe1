// Finding and stopping threads. System calls only, but for libc's sigaction through a pointer taken at install.

#include "threads.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "CProcessHooks.h"
#include "clock.h"
#include "memory.h"
#include "procfile.h"
#include "syscalls.h"
#include "text.h"

static ck_threads *stopped_threads;
static _Atomic int answers;   // a futex: grows with each thread that stops
static _Atomic int awaited;   // how many answers the capturing thread sleeps for; 0 while it is at work
static _Atomic int released;  // a futex: 1 lets all stopped threads go on
static _Atomic int walked_in;
static int seen;   // how many of the answers have been looked at
static uint64_t first_wait_ns;
static bool looked;  // whether the threads that are late have been looked at
static uint64_t listening;  // the signals that on_stop is the handler of

// Threads that crash while another one captures, by id; their records are found later.
#define WALK_INS_MAX 256
static struct {
  _Atomic int tid;
  bool unprotected;
  char name[16];
  uint8_t name_size;
  ck_registers registers;
  uint64_t task_object;
} walk_ins[WALK_INS_MAX];

static void futex_wake(_Atomic int *word) {
  ck_syscall3(SYS_futex, word, FUTEX_WAKE_PRIVATE, 0x7fffffff);
}

static void park(void) {
  while (atomic_load_explicit(&released, memory_order_acquire) == 0)
    ck_syscall4(SYS_futex, &released, FUTEX_WAIT_PRIVATE, 0, NULL);
}

static void answer(void) {
  int count = atomic_fetch_add(&answers, 1) + 1;
  int target = atomic_load(&awaited);
  if (target != 0 && count >= target) futex_wake(&answers);
}

static void read_own_name(char name[16], uint8_t *size) {
  ck_syscall2(SYS_prctl, PR_GET_NAME, name);
  for (*size = 0; *size < 16 && name[*size];) ++*size;
}

// Many threads wait at the same few places.
static char state_from(const ck_registers *registers) {
  static uint64_t last_pc;
  static bool last_in_kernel;
  uint64_t pc = registers->values[CK_REGISTER_PC];
  if (pc != last_pc) last_in_kernel = ck_interrupted_system_call(pc);
  last_pc = pc;
  return last_in_kernel ? 'S' : 'R';
}

// The kernel leaves the thread's setting in the context.
bool ck_has_no_alternate_stack(const ucontext_t *context) { return context->uc_stack.ss_flags & SS_DISABLE; }

// The record that the signal names, or, where it could carry no name, the one with the thread's own id.
static ck_thread *own_record(const siginfo_t *info) {
  ck_threads *threads = stopped_threads;
  if (!threads) return NULL;
  int self = (int)ck_syscall0(SYS_gettid);
  size_t index = (size_t)(uintptr_t)info->si_value.sival_ptr;
  if (info->si_code == SI_QUEUE && index < CK_THREADS_MAX && threads->entries[index].tid == self)
    return &threads->entries[index];
  for (size_t i = 1; i < CK_THREADS_MAX && threads->entries[i].tid != 0; ++i)
    if (threads->entries[i].tid == self) return &threads->entries[i];
  return NULL;
}

static void on_stop(int signal, siginfo_t *info, void *context) {
  (void)signal;
  ck_thread *thread = own_record(info);
  // Anybody may send such a signal, and to a thread that nobody has asked.
  if (!thread) return;
  int open = CK_ANSWER_NONE;
  if (!atomic_compare_exchange_strong(&thread->answer, &open, CK_ANSWER_COMING)) {
    // Too late: its stack is read from the outside already.
    if (open == CK_ANSWER_CLOSED) park();
    return;
  }
  ck_registers_read(&thread->registers, context);
  // One that runs none of the program's functions yet, or no more, has none of them to protect.
  bool between = cph_current_thread_phase == CPH_THREAD_STARTING || cph_current_thread_phase == CPH_THREAD_ENDING;
  thread->unprotected = !between && ck_has_no_alternate_stack(context);
  read_own_name(thread->name, &thread->name_size);
  thread->task_object = ck_swift_task_current();
  thread->captured_by = CK_BY_SIGNAL;
  atomic_store_explicit(&thread->answer, CK_ANSWER_GIVEN, memory_order_release);
  answer();
  park();
}

void ck_threads_walk_in(const ucontext_t *context) {
  int slot = atomic_fetch_add_explicit(&walked_in, 1, memory_order_relaxed);
  if (slot < WALK_INS_MAX) {
    ck_registers_read(&walk_ins[slot].registers, context);
    walk_ins[slot].unprotected = ck_has_no_alternate_stack(context);
    read_own_name(walk_ins[slot].name, &walk_ins[slot].name_size);
    walk_ins[slot].task_object = ck_swift_task_current();
    atomic_store_explicit(&walk_ins[slot].tid, (int)ck_syscall0(SYS_gettid), memory_order_release);
    answer();
  }
  park();
}

void ck_threads_stay(void) { park(); }

void ck_threads_forget(void) {
  stopped_threads = NULL;
  atomic_store(&answers, 0);
  atomic_store(&awaited, 0);
  atomic_store(&walked_in, 0);
  atomic_store(&released, 0);
  seen = 0;
  listening = 0;
  looked = false;
  first_wait_ns = 0;
  ck_zero(walk_ins, sizeof walk_ins);
}

// --- Finding -------------------------------------------------------------------------------------------------

// The kernel escapes newlines and backslashes of a name.
static void read_name(ck_thread *thread, const char *at, const char *end) {
  thread->name_size = 0;
  for (; at < end && thread->name_size < sizeof thread->name; ++at) {
    char c = *at;
    if (c == '\\' && at + 1 < end) c = *++at == 'n' ? '\n' : *at;
    thread->name[thread->name_size++] = c;
  }
}

static void read_status(ck_thread *thread) {
  char path[64];
  ck_task_path(path, thread->tid, "status");
  char buffer[2048];
  long size = ck_file_read(path, buffer, sizeof buffer);
  if (size <= 0) return;
  const char *end = buffer + size;
  for (const char *line = buffer; line < end;) {
    const char *next = line;
    while (next < end && *next != '\n') ++next;
    if (ck_starts_with(line, "Name:\t")) {
      read_name(thread, line + 6, next);
    } else if (ck_starts_with(line, "State:\t")) {
      thread->state = line[7];
    } else if (ck_starts_with(line, "SigBlk:\t")) {
      const char *at = line + 8;
      thread->blocked = ck_parse_number(&at, next, 16);
      return;
    }
    line = next + 1;
  }
}

// --- Stopping ------------------------------------------------------------------------------------------------

// glibc keeps two real-time signals for itself: its functions neither block them nor wait for them, so a thread that
// blocks all signals, or takes every signal by sigwait, is stopped by this one as well. Behind it SIGPROF: Dispatch's
// workers leave it open. The synchronous fault signals and the deadline's stay out of it.
#define LIBC_SIGNAL 33
static const uint8_t stop_signals[] = {LIBC_SIGNAL, SIGPROF, SIGVTALRM, SIGURG, SIGIO,  SIGXCPU, SIGWINCH, SIGUSR1, SIGUSR2,
                                       SIGHUP,  SIGINT,    SIGTERM, SIGCHLD, SIGPIPE, SIGQUIT,  SIGTSTP, SIGTTIN,
                                       SIGTTOU, SIGPWR,    35,      36,      40,      50,       60,      64};

// As the kernel has it: libc's sigaction refuses the signals that it keeps for itself.
static struct kernel_action {
  void (*handler)(int, siginfo_t *, void *);
  unsigned long flags;
  void *restorer;
  uint64_t mask;
} libcs_own;

static bool listen_to_libcs_own(void) {
  struct kernel_action action;
  // For the function that handlers return to.
  if (ck_syscall4(SYS_rt_sigaction, SIGSEGV, 0, &action, 8) != 0) return false;
  action.handler = on_stop;
  action.flags = (action.flags & 0x04000000 /* SA_RESTORER */) | SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  action.mask = 0;
  for (size_t i = 0; i < sizeof stop_signals; ++i) action.mask |= 1ull << (stop_signals[i] - 1);
  return ck_syscall4(SYS_rt_sigaction, LIBC_SIGNAL, &action, &libcs_own, 8) == 0;
}

static bool listen(int signal) {
  uint64_t bit = 1ull << (signal - 1);
  if (listening & bit) return true;
  if (signal == LIBC_SIGNAL) {
    if (!listen_to_libcs_own()) return false;
    listening |= bit;
    return true;
  }
  struct sigaction action;
  ck_zero(&action, sizeof action);
  action.sa_sigaction = on_stop;
  action.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  ck_zero(&action.sa_mask, sizeof action.sa_mask);
  for (size_t i = 0; i < sizeof stop_signals; ++i)
    ((uint64_t *)&action.sa_mask)[0] |= 1ull << (stop_signals[i] - 1);
  if (cph_real_sigaction(signal, &action, NULL) != 0) return false;
  listening |= bit;
  return true;
}

void ck_threads_release(void) {
  atomic_store_explicit(&released, 1, memory_order_release);
  futex_wake(&released);
  if (listening >> (LIBC_SIGNAL - 1) & 1) ck_syscall4(SYS_rt_sigaction, LIBC_SIGNAL, &libcs_own, NULL, 8);
}

static bool ask_with(size_t index, ck_thread *thread, int process, int signal) {
  if (!listen(signal)) return false;
  siginfo_t info;
  ck_zero(&info, sizeof info);
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = process;
  info.si_value.sival_ptr = (void *)(uintptr_t)index;
  // A filter may refuse the first; the second needs no room in the queue of signals, where the first one does.
  if (ck_syscall4(SYS_rt_tgsigqueueinfo, process, thread->tid, signal, &info) < 0
      && ck_syscall3(SYS_tgkill, process, thread->tid, signal) < 0)
    return false;
  thread->stop_signal = signal;
  return true;
}

// A thread that has not answered is looked at: it may block the first signal, or be beyond any.
static void ask_again(size_t index, ck_thread *thread, int process) {
  read_status(thread);
  bool beyond = thread->state == 'Z' || thread->state == 'X';
  bool blocks = thread->stop_signal == 0 || thread->blocked >> (thread->stop_signal - 1) & 1;
  if (!beyond && !blocks) return;
  for (size_t i = 0; i < sizeof stop_signals && !beyond; ++i) {
    if (thread->blocked >> (stop_signals[i] - 1) & 1) continue;
    if (ask_with(index, thread, process, stop_signals[i])) return;
  }
  // One that blocks all and runs is being born, and answers what it was asked once it opens its mask, or it crashes too
  // and walks in. One that waits in the kernel is read from outside.
  if (!beyond && thread->stop_signal != 0 && !ck_thread_read_syscall(thread)) return;
  thread->stop_signal = 0;
}

static bool known(const ck_threads *threads, int tid) {
  for (size_t i = 0; i < threads->count; ++i)
    if (threads->entries[i].tid == tid) return true;
  return false;
}

static ck_thread *append(ck_threads *threads, int tid) {
  if (threads->count == CK_THREADS_MAX) {
    ++threads->omitted;
    return NULL;
  }
  ck_thread *thread = &threads->entries[threads->count];
  thread->tid = tid;
  return thread;
}

struct entry64 {
  uint64_t inode;
  int64_t offset;
  uint16_t size;
  uint8_t type;
  char name[];
};

// One pass over the folder; true where it found threads that were not known. The first pass need not look for doubles.
static bool find_threads(ck_threads *threads, int self, int process, bool first) {
  long folder = ck_syscall4(SYS_openat, AT_FDCWD, "/proc/self/task", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return false;
  bool found = false;
  static char buffer[8192];
  size_t before = threads->count;
  for (long size; (size = ck_syscall3(SYS_getdents64, folder, buffer, sizeof buffer)) > 0;) {
    for (long at = 0; at < size;) {
      const struct entry64 *entry = (const struct entry64 *)(buffer + at);
      at += entry->size;
      const char *digits = entry->name;
      int tid = (int)ck_parse_number(&digits, digits + 12, 10);
      if (tid <= 0 || tid == self || (!first && known(threads, tid))) continue;
      size_t index = threads->count;
      ck_thread *thread = append(threads, tid);
      if (!thread) continue;
      ++threads->count;
      if (!ask_with(index, thread, process, stop_signals[0])) ask_with(index, thread, process, stop_signals[1]);
      found = true;
    }
  }
  ck_syscall1(SYS_close, folder);
  return found && threads->count > before;
}

void ck_threads_stop_all(ck_threads *threads) {
  int self = (int)ck_syscall0(SYS_gettid);
  int process = (int)ck_syscall0(SYS_getpid);
  threads->count = threads->omitted = 0;
  stopped_threads = threads;
  ck_thread *own = append(threads, self);
  threads->count = 1;
  own->state = 'R';
  read_own_name(own->name, &own->name_size);
  // A thread found in one pass may have started another before it stopped.
  bool first = true;
  for (int pass = 0; pass < 4 && find_threads(threads, self, process, first); ++pass) first = false;
}

// --- Waiting -------------------------------------------------------------------------------------------------

static bool take_walk_in(ck_thread *thread) {
  int count = atomic_load_explicit(&walked_in, memory_order_relaxed);
  for (int i = 0; i < count && i < WALK_INS_MAX; ++i) {
    if (atomic_load_explicit(&walk_ins[i].tid, memory_order_acquire) != thread->tid) continue;
    thread->registers = walk_ins[i].registers;
    thread->unprotected = walk_ins[i].unprotected;
    thread->state = 'R';
    ck_copy(thread->name, walk_ins[i].name, sizeof thread->name);
    thread->name_size = walk_ins[i].name_size;
    thread->task_object = walk_ins[i].task_object;
    thread->captured_by = CK_BY_FAULT_CONTEXT;
    return true;
  }
  return false;
}

bool ck_thread_has_stopped(ck_thread *thread) {
  if (thread->stopped) return true;
  thread->stopped = atomic_load_explicit(&thread->answer, memory_order_acquire) == CK_ANSWER_GIVEN || take_walk_in(thread);
  if (thread->stopped && thread->state == 0) thread->state = state_from(&thread->registers);
  return thread->stopped;
}

// How many may still answer. Answers are not counted for this: a thread that walked in may answer a signal as well.
static int missing_threads(ck_threads *threads) {
  int missing = 0;
  for (size_t i = 1; i < threads->count; ++i)
    missing += threads->entries[i].stop_signal != 0 && !ck_thread_has_stopped(&threads->entries[i]);
  return missing;
}

// Sleeps until a batch has answered or the time is up; false where nobody did.
static bool wait_for_answers(int before, int missing, uint64_t limit_ns) {
  int target = before + (missing < 16 ? missing : 16);
  atomic_store(&awaited, target);
  uint64_t now = ck_monotonic_ns(), end = now + limit_ns;
  int count = atomic_load(&answers);
  while (count < target && now < end) {
    struct timespec rest = {.tv_sec = 0, .tv_nsec = (long)(end - now)};
    ck_syscall4(SYS_futex, &answers, FUTEX_WAIT_PRIVATE, count, &rest);
    now = ck_monotonic_ns();
    count = atomic_load(&answers);
  }
  atomic_store(&awaited, 0);
  return count > before;
}

bool ck_threads_wait(ck_threads *threads) {
  if (first_wait_ns == 0) first_wait_ns = ck_monotonic_ns();
  int before = seen;
  seen = atomic_load(&answers);
  if (seen > before) return true;
  int missing = missing_threads(threads);
  if (looked && missing == 0) return false;
  if (missing > 0 && wait_for_answers(seen, missing, CK_STOP_FIRST_NS)) return true;
  if (!looked) {
    looked = true;
    int process = (int)ck_syscall0(SYS_getpid);
    for (size_t i = 1; i < threads->count; ++i)
      if (!ck_thread_has_stopped(&threads->entries[i])) ask_again(i, &threads->entries[i], process);
    return true;
  }
  uint64_t spent = ck_monotonic_ns() - first_wait_ns;
  if (spent >= CK_STOP_TOTAL_NS) return false;
  uint64_t left = CK_STOP_TOTAL_NS - spent;
  return wait_for_answers(seen, missing, left < CK_STOP_QUIET_NS ? left : CK_STOP_QUIET_NS);
}

// "number arguments… stack-pointer program-counter", or "-1 stack-pointer program-counter", or "running".
bool ck_thread_read_syscall(ck_thread *thread) {
  int open = CK_ANSWER_NONE;
  if (thread->captured_by == CK_BY_PROC_SYSCALL) return true;
  char path[64];
  ck_task_path(path, thread->tid, "syscall");
  char buffer[256];
  long size = ck_file_read(path, buffer, sizeof buffer);
  if (size <= 0 || buffer[0] == 'r') return false;
  const char *end = buffer + size;
  const char *words[9] = {NULL};
  size_t count = 0;
  for (const char *at = buffer; at < end && count < 9;) {
    words[count++] = at;
    while (at < end && *at != ' ' && *at != '\n') ++at;
    while (at < end && (*at == ' ' || *at == '\n')) ++at;
  }
  if (count < 3 || !ck_starts_with(words[count - 2], "0x") || !ck_starts_with(words[count - 1], "0x")) return false;
  const char *sp = words[count - 2] + 2, *pc = words[count - 1] + 2;
  if (!atomic_compare_exchange_strong(&thread->answer, &open, CK_ANSWER_CLOSED)) return false;
  ck_zero(&thread->registers, sizeof thread->registers);
  // The arguments are in the registers that they were passed in: vfork keeps its return address in the first.
  static const uint8_t argument_registers[6] = CK_SYSCALL_ARGUMENTS;
  for (size_t i = 0; i < 6 && count == 9; ++i) {
    const char *digits = words[1 + i] + 2;
    thread->registers.values[argument_registers[i]] = ck_parse_number(&digits, end, 16);
  }
  thread->registers.values[CK_REGISTER_SP] = ck_parse_number(&sp, end, 16);
  thread->registers.values[CK_REGISTER_PC] = ck_parse_number(&pc, end, 16);
  thread->captured_by = CK_BY_PROC_SYSCALL;
  return thread->registers.values[CK_REGISTER_SP] != 0;
}
