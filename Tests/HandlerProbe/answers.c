// A filter that answers a system call otherwise than the kernel: by a signal, by an error, or as if it were done.
#include <errno.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>

#include "probe.h"

static const struct {
  uint32_t answer;
  const char *name;
} answers[] = {
    {SECCOMP_RET_TRAP, "signal"},         {SECCOMP_RET_ERRNO | ENOSYS, "ENOSYS"}, {SECCOMP_RET_ERRNO | EPERM, "EPERM"},
    {SECCOMP_RET_ERRNO | EINTR, "EINTR"}, {SECCOMP_RET_ERRNO | EAGAIN, "EAGAIN"}, {SECCOMP_RET_ERRNO, "done"},
};
#define ANSWERS (sizeof answers / sizeof *answers)

static int answered_calls(void) {
  for (const named_call *at = named_calls; at->name; ++at) say("%s\n", at->name);
  return 0;
}

static _Atomic pid_t waiter;

static void *wait_there(void *argument) {
  atomic_store(&waiter, gettid());
  for (;;) pause();
  return argument;
}

// PROBE_CALL_NAME is answered by PROBE_ANSWER on both threads.
static int answered(void) {
  const char *answer = getenv("PROBE_ANSWER");
  CHECK(answer);
  size_t a = 0;
  while (a < ANSWERS && strcmp(answers[a].name, answer) != 0) ++a;
  CHECK(a < ANSWERS);
  install_crashkit();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_there, NULL) == 0);
  while (atomic_load(&waiter) == 0) sched_yield();
  await_sleep_of(getpid(), atomic_load(&waiter));
  filter_call(SECCOMP_FILTER_FLAG_TSYNC, call_from_environment(), answers[a].answer);
  store((char *)8);
  return 7;
}

const probe answer_probes[] = {
    {"answered", answered},
    {"answered-calls", answered_calls},
    {NULL, NULL},
};
