// What unwinding alone costs: a SIGSEGV handler signals every thread, and each unwinds itself with libunwind's local
// side from its own context into memory set aside. Nothing is written. This is the yardstick, not a way to do it:
// the local side takes the loader's lock and may allocate.
//
// bare-unwind THREADS DEPTH [global|thread]    prints: microseconds frames threads

#define _GNU_SOURCE
#define UNW_LOCAL_ONLY
#include "CWaitingThreads.h"

#include <errno.h>
#include <libunwind.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { max_threads = 16385, max_frames = 256 };

static unw_word_t frames[max_threads][max_frames];
static atomic_uint slots_taken, answered, frames_found;

static double now_us(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec * 1e6 + (double)time.tv_nsec / 1e3;
}

static void unwind_from(void *context) {
  unsigned slot = atomic_fetch_add(&slots_taken, 1), count = 0;
  unw_cursor_t cursor;
  if (unw_init_local2(&cursor, context, UNW_INIT_SIGNAL_FRAME) == 0) {
    do {
      unw_get_reg(&cursor, UNW_REG_IP, &frames[slot][count++]);
    } while (count < max_frames && unw_step(&cursor) > 0);
  }
  atomic_fetch_add(&frames_found, count);
}

static void on_stop(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  int saved_errno = errno;
  unwind_from(context);
  atomic_fetch_add(&answered, 1);
  syscall(SYS_futex, &answered, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
  errno = saved_errno;
}

static void on_crash(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  double start = now_us();
  unsigned count, seen;
  const int *ids = waiting_threads_ids(&count);
  for (unsigned i = 0; i < count; i++) syscall(SYS_tgkill, getpid(), ids[i], SIGPROF);
  unwind_from(context);
  while ((seen = atomic_load(&answered)) < count)
    syscall(SYS_futex, &answered, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
  double took = now_us() - start;

  char line[96];
  int length = snprintf(line, sizeof line, "%.1f %u %u\n", took, atomic_load(&frames_found), count + 1);
  if (write(STDOUT_FILENO, line, (size_t)length) != length) _exit(74);
  _exit(0);
}

static void nothing(void) {}

int main(int argc, char **argv) {
  if (argc < 3) {
    fprintf(stderr, "usage: %s THREADS DEPTH [global|thread]\n", argv[0]);
    return 64;
  }
  unsigned threads = (unsigned)atoi(argv[1]), depth = (unsigned)atoi(argv[2]);
  if (argc > 3)
    unw_set_caching_policy(unw_local_addr_space,
                           strcmp(argv[3], "thread") == 0 ? UNW_CACHE_PER_THREAD : UNW_CACHE_GLOBAL);

  struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
  action.sa_sigaction = on_stop;
  sigaction(SIGPROF, &action, NULL);
  action.sa_sigaction = on_crash;
  sigaction(SIGSEGV, &action, NULL);

  int error = waiting_threads_start(threads - 1, depth);
  if (error) {
    fprintf(stderr, "threads: %s\n", strerror(error));
    return 74;
  }
  waiting_threads_crash(depth, nothing);
}
