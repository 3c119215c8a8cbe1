// Decides which thread ends the process if a handler has sent the signal to the whole process. The kernel gives the
// signal at once to any thread that does not block it. But the report must be about the fault whose handler sent it, so
// the thread of that handler ends the process instead. System calls only.

#include "death/own_end.h"

#include <stdatomic.h>
#include <stdint.h>

#include "CGround/clock.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"

/// So often, and so long each time, a thread waits for the answer: the kernel has handed the signal over long before.
#define RESTS_MAX 100
#define REST_NS 1000000

#define IS_ANSWERED (1ull << 31)

// The process, the thread that asks, and the signal; 0 if none asks. With the process, since a fork takes it along.
static _Atomic uint64_t asked;

static uint64_t question(int signal) {
  return (uint64_t)cgr_process_id() << 32 | (uint64_t)cgr_thread_id() << 8 | (unsigned)signal;
}

static void put_back(int signal, const siginfo_t *info) {
  // A thread may put a signal of kill back only under its own number, which means its process.
  cgr_syscall3(SYS_rt_sigqueueinfo, cgr_thread_id(), signal, info);
}

bool ck_own_end_is_due(int signal, const siginfo_t *info) {
  uint64_t own = question(signal), before = atomic_load(&asked);
  bool asks = before >> 32 != own >> 32 || before == 0;
  if (!asks || !atomic_compare_exchange_strong(&asked, &before, own)) return put_back(signal, info), false;
  put_back(signal, info);
  for (int i = 0; i < RESTS_MAX && atomic_load(&asked) == own; ++i) cgr_rest(REST_NS);
  return atomic_exchange(&asked, 0) != own;
}

bool ck_own_end_is_answered(int signal, const siginfo_t *info) {
  bool is_own = (info->si_code == SI_USER || info->si_code == SI_QUEUE) && info->si_pid == (pid_t)cgr_process_id();
  uint64_t question_here = question(signal), there = atomic_load(&asked);
  bool is_asked = there != 0 && there >> 32 == question_here >> 32 && (there & 0xff) == (unsigned)signal
                  && there != question_here && !(there & IS_ANSWERED);
  return is_own && is_asked && atomic_compare_exchange_strong(&asked, &there, there | IS_ANSWERED);
}
