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

int set_filter(filter_setter *set, unsigned flags, struct sock_filter *rules, size_t count) {
  struct sock_fprog program = {.len = (unsigned short)count, .filter = rules};
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  long result = set(flags, &program);
  CHECK(result >= 0);
  return (int)result;
}

long by_seccomp(unsigned flags, struct sock_fprog *program) {
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}
long by_prctl(unsigned flags, struct sock_fprog *program) {
  CHECK(flags == 0);
  return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program);
}
long by_call_of_prctl(unsigned flags, struct sock_fprog *program) {
  CHECK(flags == 0);
  return syscall(SYS_prctl, PR_SET_SECCOMP, SECCOMP_MODE_FILTER, program, 0, 0);
}
// CrashKit does not see it.
static long by_kernel_call(unsigned flags, struct sock_fprog *program) {
  return cgr_syscall3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, program);
}

int filter_call_by(filter_setter *set, unsigned flags, int number, uint32_t answer) {
  struct sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, answer),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  return set_filter(set, flags, rules, sizeof rules / sizeof *rules);
}

int filter_call(unsigned flags, int number, uint32_t answer) {
  // CrashKit makes no call that it knows to ask another process. So it is not to know this one.
  bool asks = answer == SECCOMP_RET_USER_NOTIF;
  return filter_call_by(asks ? by_kernel_call : by_seccomp, flags, number, answer);
}
