// The handlers of SIGFPE and SIGTRAP, and the way from them to the thread that reports a NaN.
//
// The handlers are async-signal-safe: they read the context, write notes to reserved memory, and wait on a futex for a
// limited time. libgcc, which was prepared before, unwinds the stack: since glibc 2.35 and gcc 12 it finds its tables
// without a lock. The signal always comes from an instruction of the thread's own.

#include "nan_trap.h"

#ifdef THREADGUARD

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>
#include <unwind.h>

#include "CRendezvous/thread_observer.h"
#include "CRendezvous/rendezvous.h"
#include "accounts.h"
#include "current_queue.h"
#include "ground/state.h"
#include "values/fp_trap.h"
#include "violation.h"

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/// Places at which a NaN was seen; each is reported once.
#define PLACES 1024
/// A trap that is sprung costs some microseconds; after this many the process goes on without.
#define SPRUNG_LIMIT 1000000
#define WAIT_SECONDS 2

// CrashKit's hooks, if they are linked too.
#define WEAK __attribute__((weak, visibility("default")))
extern int cph_observe_threads(const crv_thread_observer *observer) __asm__(RENDEZVOUS_OBSERVE_THREADS) WEAK;
extern void cph_filter_faults(bool (*filter)(int signal, siginfo_t *info,
                                             void *context)) __asm__(RENDEZVOUS_FILTER_FAULTS) WEAK;

static _Thread_local INITIAL_EXEC struct {
  bool is_stepping;
  bool blocks_steps;  // the program has SIGTRAP blocked
} own;

static struct sigaction former_action, former_step;
static _Atomic uintptr_t places[PLACES];
static _Atomic unsigned sprung;
static _Atomic bool is_fatal, new_threads, nobody_listens;

/// One NaN at a time goes to the thread that reports it.
enum { IDLE, FILLING, WAITING, TELLING };
static _Atomic uint32_t stage;
static struct ctg_nan kept;

static long futex(_Atomic uint32_t *word, int operation, uint32_t value, const struct timespec *limit) {
  return syscall(SYS_futex, word, operation | FUTEX_PRIVATE_FLAG, value, limit, NULL, 0);
}

// --- Places --------------------------------------------------------------------------------------------------------

// Whether no NaN was reported yet at this instruction. A full table has room for no new one.
static bool is_new(uintptr_t place) {
  size_t start = (place * 0x9e3779b97f4a7c15u) >> 32;
  for (size_t i = 0; i < PLACES; ++i) {
    _Atomic uintptr_t *slot = &places[(start + i) % PLACES];
    uintptr_t found = 0;
    if (atomic_compare_exchange_strong(slot, &found, place)) return true;
    if (found == place) return false;
  }
  return false;
}

// --- Stack ---------------------------------------------------------------------------------------------------------

struct walk {
  struct ctg_nan *nan;
  uintptr_t from;
};

// The frames of the handler itself are inside of the instruction that the signal came to.
static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *argument) {
  struct walk *walk = argument;
  struct ctg_nan *nan = walk->nan;
  int is_instruction = 0;
  uintptr_t address = _Unwind_GetIPInfo(context, &is_instruction);
  if (nan->frame_count == 0 && address != walk->from) return _URC_NO_REASON;
  if (address == 0 || nan->frame_count == CTG_NAN_FRAMES) return _URC_END_OF_STACK;
  nan->frames[nan->frame_count++] = is_instruction ? ctg_entry_of_instruction(address) : address;
  return _URC_NO_REASON;
}

static void take_stack(struct ctg_nan *nan, uintptr_t from) {
  struct walk walk = {nan, from};
  nan->frame_count = 0;
  _Unwind_Backtrace(add_frame, &walk);
  if (nan->frame_count == 0) nan->frames[nan->frame_count++] = ctg_entry_of_instruction(from);
}

// --- Reports -------------------------------------------------------------------------------------------------------

static void tell(const ucontext_t *context, const struct ctg_nan *nan) {
  struct timespec step = {0, 1000000}, limit = {WAIT_SECONDS, 0};
  uint32_t idle = IDLE;
  // Another thread's NaN is being reported; the wait for it is limited as the wait for our own.
  for (int rounds = 0; !atomic_compare_exchange_strong(&stage, &idle, FILLING); idle = IDLE) {
    if (++rounds > WAIT_SECONDS * 1000) return;
    futex(&stage, FUTEX_WAIT, idle, &step);
  }
  kept = *nan;
  take_stack(&kept, ctg_fp_program_counter(context));
  kept.thread = ctg_thread_id();
  kept.account = ctg_current_account();
  memset(kept.thread_name, 0, sizeof kept.thread_name);
  prctl(PR_GET_NAME, kept.thread_name);
  atomic_store(&stage, WAITING);
  futex(&stage, FUTEX_WAKE, INT32_MAX, NULL);
  uint32_t now;
  while ((now = atomic_load(&stage)) == WAITING || now == TELLING)
    if (futex(&stage, FUTEX_WAIT, now, &limit) == -1 && errno == ETIMEDOUT) return;
}

void ctg_nan_wait(struct ctg_nan *nan) {
  uint32_t now;
  while ((now = atomic_load(&stage)) != WAITING) futex(&stage, FUTEX_WAIT, now, NULL);
  *nan = kept;
  atomic_store(&stage, TELLING);
}

void ctg_nan_is_told(void) {
  atomic_store(&stage, IDLE);
  futex(&stage, FUTEX_WAKE, INT32_MAX, NULL);
}

// --- Handlers ------------------------------------------------------------------------------------------------------

static void go_on_without_trap(ucontext_t *context) {
  ctg_fp_set_in(context, false);
  if (!ctg_fp_can_step()) return;
  own.blocks_steps = sigismember(&context->uc_sigmask, SIGTRAP) == 1;
  sigdelset(&context->uc_sigmask, SIGTRAP);
  ctg_fp_step(context, true);
  own.is_stepping = true;
}

static bool spring(siginfo_t *info, ucontext_t *context) {
  if (info->si_code != FPE_FLTINV || !ctg_fp_is_set_in(context)) return false;
  struct ctg_nan nan = {.nature = CTG_NAN_TOO_MANY};
  unsigned times = atomic_fetch_add_explicit(&sprung, 1, memory_order_relaxed);
  if (times == SPRUNG_LIMIT) tell(context, &nan);
  if (times >= SPRUNG_LIMIT || atomic_load(&nobody_listens) || ctg_busy) {
    ctg_fp_set_in(context, false);
    return true;
  }
  bool new = is_new(ctg_fp_program_counter(context)), fatal = atomic_load(&is_fatal);
  if (new || fatal) ctg_fp_decode(context, &nan);
  if (new &&nan.nature != CTG_NAN_NONE) tell(context, &nan);
  if (fatal && nan.nature == CTG_NAN_BORN) return false;
  go_on_without_trap(context);
  return true;
}

static bool end_step(siginfo_t *info, ucontext_t *context) {
  if (!own.is_stepping || info->si_code != TRAP_TRACE) return false;
  own.is_stepping = false;
  ctg_fp_step(context, false);
  ctg_fp_set_in(context, true);
  if (own.blocks_steps) sigaddset(&context->uc_sigmask, SIGTRAP);
  return true;
}

static bool take(int signal, siginfo_t *info, void *context) {
  int error = errno;
  bool is_ours = signal == SIGFPE ? spring(info, context) : signal == SIGTRAP ? end_step(info, context) : false;
  errno = error;
  return is_ours;
}

// As the kernel would have done it.
static void pass_on(int signal, siginfo_t *info, void *context, const struct sigaction *former) {
  if (former->sa_handler == SIG_IGN && info->si_code <= 0) return;
  if (former->sa_handler != SIG_DFL && former->sa_handler != SIG_IGN) {
    if (former->sa_flags & SA_SIGINFO) return former->sa_sigaction(signal, info, context);
    return former->sa_handler(signal);
  }
  struct sigaction standard = {.sa_handler = SIG_DFL};
  sigaction(signal, &standard, NULL);
  // A fault comes again by itself.
  if (info->si_code <= 0) syscall(SYS_tgkill, getpid(), ctg_thread_id(), signal);
}

static void on_fault(int signal, siginfo_t *info, void *context) {
  if (!take(signal, info, context)) pass_on(signal, info, context, &former_action);
}

static void on_step(int signal, siginfo_t *info, void *context) {
  if (!take(signal, info, context)) pass_on(signal, info, context, &former_step);
}

// --- Setting -------------------------------------------------------------------------------------------------------

// No thread reports NaNs in a child.
static void in_child(void) { atomic_store(&nobody_listens, true); }

static void install(void) {
  struct ctg_nan warm;
  take_stack(&warm, 0);
  struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO};
  sigaction(SIGFPE, &action, &former_action);
  action.sa_sigaction = on_step;
  sigaction(SIGTRAP, &action, &former_step);
  if (cph_filter_faults) cph_filter_faults(take);
  pthread_atfork(NULL, NULL, in_child);
}

int ctg_nan_prepare(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  bool was_set = ctg_fp_is_set(), can = ctg_fp_set(true);
  ctg_fp_set(was_set);
  if (!can) return ENOTSUP;
  pthread_once(&once, install);
  return 0;
}

bool ctg_nan_set(bool set) {
  bool was_set = ctg_fp_is_set();
  ctg_fp_set(set);
  return was_set;
}

static void on_thread_start(void) {
  if (atomic_load_explicit(&new_threads, memory_order_relaxed)) ctg_fp_set(true);
}

bool ctg_nan_set_for_new_threads(bool set) {
  static const crv_thread_observer observer = {on_thread_start, NULL};
  atomic_store(&new_threads, set);
  return cph_observe_threads && cph_observe_threads(&observer) == 0;
}

void ctg_nan_set_fatal(bool fatal) { atomic_store(&is_fatal, fatal); }

#endif
