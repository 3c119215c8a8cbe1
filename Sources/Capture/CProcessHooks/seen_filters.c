// The filters that the program sets. System calls only.

#include "seen_filters.h"

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdatomic.h>
#include <sys/stat.h>

#include "CGround/syscalls.h"
#include "call_filters.h"
#include "filter_rules.h"
#include "own_process.h"

static _Atomic bool may_be_filtered;

bool cph_calls_may_be_filtered(void) { return atomic_load_explicit(&may_be_filtered, memory_order_relaxed); }

void cph_note_that_calls_may_be_filtered(void) { atomic_store_explicit(&may_be_filtered, true, memory_order_relaxed); }

// A folder has a link from its parent, one from itself, and one from each folder inside. False if that cannot be read.
static bool is_only_thread(void) {
  struct stat tasks = {.st_nlink = 0};
  long result = cgr_syscall4(SYS_newfstatat, AT_FDCWD, "/proc/self/task", &tasks, 0);
  return result == 0 && tasks.st_nlink == 3;
}

void cph_filter_comes(cph_coming_filter *filter, unsigned long mode, unsigned long flags, const void *rules) {
  *filter = (cph_coming_filter){.is_known = false};
  if (!cph_is_own_process()) return;
  if (mode == SECCOMP_MODE_STRICT) {
    cph_strict_mode_kills(&filter->kills);
    filter->is_known = true;
  } else if (mode == SECCOMP_MODE_FILTER) {
    filter->is_known = cph_filter_kills(rules, &filter->kills);
  }
  filter->all_threads = flags & SECCOMP_FILTER_FLAG_TSYNC || is_only_thread();
}

void cph_filter_is_set(const cph_coming_filter *filter) {
  cph_note_that_calls_may_be_filtered();
  if (filter->is_known) cgr_deadly_calls_add(&filter->kills, filter->all_threads);
}
