// Interposed pthread_sigqueue. Async-signal-safe.

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <time.h>

#include "process_masks.h"
#include "queued_signals.h"
#include "real_functions.h"
#include "CGround/memory.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"

/// "to one thread"
#define QUEUED_MAGIC 0x746f206f6e652074ull

// Behind the value. The kernel hands on 48 bytes of what a process sends to itself, and the value ends at 32.
typedef struct queued_mark {
  uint64_t magic;
  uint64_t thread;
} queued_mark;
#define MARK_OFFSET 32

_Static_assert(offsetof(siginfo_t, si_value) + sizeof(union sigval) == MARK_OFFSET, "the mark lies behind the value");
_Static_assert(MARK_OFFSET + sizeof(queued_mark) == 48, "the kernel hands the mark on");

bool cph_signal_was_queued_to_thread(const siginfo_t *info) {
  queued_mark mark;
  cgr_copy(&mark, (const uint8_t *)info + MARK_OFFSET, sizeof mark);
  return info->si_code == SI_QUEUE && mark.magic == QUEUED_MAGIC && mark.thread == (uint64_t)cgr_thread_id();
}

// The kernel's number of a thread, which its clock's number holds.
static int find_thread(pthread_t thread, long *number) {
  clockid_t clock;
  int error = pthread_getcpuclockid(thread, &clock);
  if (error == 0) *number = ~(clock >> 3);
  return error;
}

// As libc does it, with the mark.
static int queue(pthread_t to, int signal, union sigval value) {
  long thread = 0, process = cgr_process_id();
  int error = find_thread(to, &thread);
  if (error != 0) return error;
  siginfo_t info = {.si_signo = signal, .si_code = SI_QUEUE};
  info.si_pid = (pid_t)process;
  info.si_uid = (uid_t)cgr_syscall0(SYS_getuid);
  info.si_value = value;
  queued_mark mark = {QUEUED_MAGIC, (uint64_t)thread};
  cgr_copy((uint8_t *)&info + MARK_OFFSET, &mark, sizeof mark);
  return (int)-cgr_syscall4(SYS_rt_tgsigqueueinfo, process, thread, signal, &info);
}

__attribute__((visibility("default"))) int pthread_sigqueue(pthread_t thread, int signal, const union sigval value) {
  cph_real_functions_find();
  bool is_kept_open = signal > 0 && signal < NSIG && cph_masks_kept_open() & CGR_SIGNAL_BIT(signal);
  return is_kept_open ? queue(thread, signal, value) : cph_real_pthread_sigqueue(thread, signal, value);
}
