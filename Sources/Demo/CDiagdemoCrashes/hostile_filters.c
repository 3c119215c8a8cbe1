#include "CDiagdemoCrashes.h"
#include "hostile_crashes.h"
#include "hostile_threads.h"
#include "never_inlined.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define CALLS_MAX 64

// The calls are answered with EPERM, on all threads.
static bool refuse(const int *calls, unsigned count) {
  struct sock_filter rules[CALLS_MAX + 3];
  unsigned size = 0;
  rules[size++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (unsigned i = 0; i < count; i++)
    rules[size++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i], count - i, 0);
  rules[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  rules[size++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM);
  struct sock_fprog program = {.len = (unsigned short)size, .filter = rules};
  return had(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0
                 && syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) == 0,
             "seccomp");
}

TRIGGER void crash_with_calls_refused(bool read, bool trace) {
  int calls[2];
  unsigned count = 0;
  if (read) calls[count++] = SYS_process_vm_readv;
  if (trace) calls[count++] = SYS_ptrace;
  if (refuse(calls, count)
      && had(!trace || (syscall(SYS_ptrace, 0, 0, 0, 0) < 0 && errno == EPERM), "ptrace is served"))
    crash_null_write();
}

void refuse_container_calls(void) {
  // What the common engines' default profiles leave out for want of a capability; those of both processors' tables.
  static const int calls[] = {
      SYS_acct,
      SYS_add_key,
      SYS_bpf,
      SYS_clock_adjtime,
      SYS_clock_settime,
      SYS_delete_module,
      SYS_finit_module,
      SYS_fsconfig,
      SYS_fsmount,
      SYS_fsopen,
      SYS_fspick,
      SYS_init_module,
      SYS_kcmp,
      SYS_kexec_load,
      SYS_keyctl,
      SYS_mbind,
      SYS_migrate_pages,
      SYS_mount,
      SYS_move_mount,
      SYS_move_pages,
      SYS_open_tree,
      SYS_perf_event_open,
      SYS_personality,
      SYS_pivot_root,
      SYS_pidfd_getfd,
      SYS_process_madvise,
      SYS_process_vm_readv,
      SYS_process_vm_writev,
      SYS_ptrace,
      SYS_quotactl,
      SYS_reboot,
      SYS_request_key,
      SYS_set_mempolicy,
      SYS_setdomainname,
      SYS_sethostname,
      SYS_setns,
      SYS_settimeofday,
      SYS_swapoff,
      SYS_swapon,
      SYS_syslog,
      SYS_umount2,
      SYS_unshare,
      SYS_userfaultfd,
      SYS_vhangup,
  };
  _Static_assert(sizeof calls / sizeof calls[0] <= CALLS_MAX, "the filter's rules");
  refuse(calls, sizeof calls / sizeof calls[0]);
}

TRIGGER void crash_not_dumpable(void) {
  if (had(prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == 0, "prctl")) crash_null_write();
}
