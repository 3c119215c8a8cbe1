// The filters that the program sets. System calls only.

#include "seen_filters.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "CGround/syscalls.h"
#include "abort_action.h"
#include "call_filters.h"
#include "filter_rules.h"
#include "own_process.h"

static _Atomic bool may_be_filtered;

bool cph_calls_may_be_filtered(void) { return atomic_load_explicit(&may_be_filtered, memory_order_relaxed); }

void cph_note_that_calls_may_be_filtered(void) { atomic_store_explicit(&may_be_filtered, true, memory_order_relaxed); }

void cph_filters_begin(void) {
  if (!cph_calls_may_be_filtered()) cgr_thread_is_unfiltered = true;
}

// A folder has a link from its parent, one from itself, and one from each folder inside. False if that cannot be read.
static bool is_only_thread(void) {
  struct stat tasks = {.st_nlink = 0};
  long result = cgr_syscall4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0);
  return result == 0 && tasks.st_nlink == 3;
}

static bool read_rules(unsigned long mode, const void *rules, cgr_call_set *calls) {
  if (mode == SECCOMP_MODE_STRICT) {
    cph_strict_mode_bars(calls);
    return true;
  }
  return mode == SECCOMP_MODE_FILTER && cph_filter_bars(rules, calls);
}

void cph_filter_comes(cph_coming_filter *filter, unsigned long mode, unsigned long flags, const void *rules) {
  *filter = (cph_coming_filter){.is_known = false};
  cgr_call_set calls;
  if (!cph_is_own_process() || !read_rules(mode, rules, &calls)) return;
  bool all_threads = flags & SECCOMP_FILTER_FLAG_TSYNC || is_only_thread();
  filter->resets_abort = cgr_call_set_has(&calls, SYS_rt_sigaction) && cph_abort_resets(true);
  filter->barred = cgr_calls_bar(&calls, all_threads);
  filter->is_known = true;
}

void cph_filter_came(const cph_coming_filter *filter, bool is_set) {
  if (is_set) return cph_note_that_calls_may_be_filtered();
  if (!filter->is_known) return;
  cgr_calls_open_again(&filter->barred);
  if (filter->resets_abort) cph_abort_resets(false);
}
