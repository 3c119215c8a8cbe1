// The ids of the process and of the thread. System calls only.

#include "CGround/own_ids.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "CGround/refusals.h"
#include "CGround/syscalls.h"

CGR_OF_THREAD volatile uint64_t cgr_refusals_expected;
CGR_OF_THREAD volatile unsigned cgr_refusals_met;

static _Atomic long noted;

// The last number in what the link says: "17", or "17/task/18".
static long number_in(const char *path) {
  char link[64];
  long size = cgr_syscall4(SYS_readlinkat, AT_FDCWD, path, link, sizeof link), number = 0;
  for (long i = 0; i < size; ++i) {
    bool is_digit = link[i] >= '0' && link[i] <= '9';
    number = is_digit ? number * 10 + (link[i] - '0') : 0;
  }
  return number;
}

static long ask(long call, const char *path) {
  uint64_t outer;
  CGR_REFUSALS_BEGIN(outer);
  long id = cgr_syscall0(call);
  if (id <= 0) id = number_in(path);
  CGR_REFUSALS_END(outer);
  return id > 0 ? id : atomic_load_explicit(&noted, memory_order_relaxed);
}

long cgr_process_id(void) { return ask(SYS_getpid, "/proc/self"); }
long cgr_thread_id(void) { return ask(SYS_gettid, "/proc/thread-self"); }

void cgr_own_process_note(void) { atomic_store(&noted, cgr_process_id()); }
