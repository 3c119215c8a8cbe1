// System calls by name, and a filter of one of them (seccomp(2)).
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "CGround/syscalls.h"
#include "probe.h"

#define CALL(name) \
  { #name, SYS_##name }
const named_call named_calls[] = {
    CALL(clock_gettime),
    CALL(close),
    CALL(exit_group),
    CALL(fcntl),
    CALL(flock),
    CALL(get_robust_list),
    CALL(getdents64),
    CALL(getpid),
    CALL(getrusage),
    CALL(gettid),
    CALL(ioctl),
    CALL(lseek),
    CALL(mincore),
    CALL(newfstatat),
    CALL(openat),
    CALL(pipe2),
    CALL(ppoll),
    CALL(prctl),
    CALL(prlimit64),
    CALL(process_vm_readv),
    CALL(read),
    CALL(readlinkat),
    CALL(renameat2),
    CALL(rt_sigaction),
    CALL(rt_sigpending),
    CALL(rt_sigprocmask),
    CALL(rt_sigqueueinfo),
    CALL(rt_sigtimedwait),
    CALL(rt_tgsigqueueinfo),
    CALL(sched_getaffinity),
    CALL(setitimer),
    CALL(sigaltstack),
    CALL(statx),
    CALL(sysinfo),
    CALL(tgkill),
    CALL(timer_create),
    CALL(timer_delete),
    CALL(timer_settime),
    CALL(uname),
    CALL(unlinkat),
    CALL(write),
    {NULL, 0},
};

int call_from_environment(void) {
  const char *name = getenv("PROBE_CALL_NAME");
  CHECK(name);
  const named_call *at = named_calls;
  while (at->name && strcmp(at->name, name) != 0) ++at;
  CHECK(at->name);
  return at->number;
}

#define RULES(number, answer)                                                                               \
  {                                                                                                         \
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),                                  \
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)(number), 0, 1), BPF_STMT(BPF_RET | BPF_K, (answer)), \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),                                                       \
  }

void filter_call_by_prctl(int number, uint32_t answer) {
  struct sock_filter rules[] = RULES(number, answer);
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  CHECK(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

int filter_call(unsigned flags, int number, uint32_t answer) {
  struct sock_filter rules[] = RULES(number, answer);
  struct sock_fprog program = {.len = sizeof rules / sizeof *rules, .filter = rules};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  // CrashKit makes no call that it knows to ask another process. So it is not to know this one.
  bool asks = answer == SECCOMP_RET_USER_NOTIF;
  long result = asks ? cgr_syscall3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program)
                     : syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
  CHECK(result >= 0);
  return (int)result;
}
