#include "CDiagdemoCrashes.h"
#include "never_inlined.h"

#include <dirent.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

TRIGGER void crash_raise(int signal_number) { syscall(SYS_tgkill, getpid(), gettid(), signal_number); }

TRIGGER void crash_signals_blocked(void) {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, NULL);
  crash_null_write();
}

TRIGGER void crash_seccomp(void) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_acct, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  struct sock_fprog program = {.len = sizeof rules / sizeof rules[0], .filter = rules};
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)) return;
  syscall(SYS_acct, NULL);
}

static pthread_barrier_t all_started;

static void *crash_together(void *context) {
  (void)context;
  pthread_barrier_wait(&all_started);
  crash_null_write();
  return NULL;
}

TRIGGER void crash_many_threads(unsigned count) {
  pthread_t thread = pthread_self();
  pthread_barrier_init(&all_started, NULL, count);
  for (unsigned i = 0; i < count; i++) pthread_create(&thread, NULL, crash_together, NULL);
  pthread_join(thread, NULL);
}

void crash_exhaust_descriptors(void) {
  // If a million are allowed, that many would take a second.
  struct rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 1024) {
    limit.rlim_cur = 1024;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  while (open("/dev/null", O_RDONLY) >= 0) {
  }
}

unsigned crash_thread_count(void) {
  DIR *tasks = opendir("/proc/self/task");
  if (!tasks) return 1;
  unsigned count = 0;
  for (struct dirent *entry; (entry = readdir(tasks));) count += entry->d_name[0] != '.';
  closedir(tasks);
  return count;
}

struct work {
  void (*body)(void *);
  void *context;
};

static void *run_work(void *context) {
  struct work *work = context;
  pthread_setname_np(pthread_self(), "crasher");
  work->body(work->context);
  return NULL;
}

int crash_on_thread(void (*body)(void *), void *context) {
  struct work work = {body, context};
  pthread_t thread;
  int error = pthread_create(&thread, NULL, run_work, &work);
  return error ? error : pthread_join(thread, NULL);
}
