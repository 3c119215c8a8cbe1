#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

TRIGGER void crash_raise(int signal_number) { syscall(SYS_tgkill, getpid(), gettid(), signal_number); }

TRIGGER void crash_signals_blocked(void)
{
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  crash_null_write();
}

TRIGGER void crash_bad_system_call(void)
{
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_acct, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
    return;
  syscall(SYS_acct, NULL);
}

static pthread_barrier_t all_started;

static void *crash_together(void *context)
{
  (void)context;
  pthread_barrier_wait(&all_started);
  crash_null_write();
  return NULL;
}

TRIGGER void crash_many_threads(unsigned count)
{
  pthread_t thread = pthread_self();
  pthread_barrier_init(&all_started, NULL, count);
  for (unsigned i = 0; i < count; i++)
    pthread_create(&thread, NULL, crash_together, NULL);
  pthread_join(thread, NULL);
}

struct work {
  void (*body)(void *);
  void *context;
};

static void *run_work(void *context)
{
  struct work *work = context;
  pthread_setname_np(pthread_self(), "crasher");
  work->body(work->context);
  return NULL;
}

int crash_on_thread(void (*body)(void *), void *context)
{
  struct work work = {body, context};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run_work, &work);
  return error ? error : pthread_join(thread, NULL);
}
