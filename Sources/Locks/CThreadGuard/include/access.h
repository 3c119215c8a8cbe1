#pragma once
// Detects threads that read or write a value at the same time. Ordinary libc; no lock, no allocation.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

enum { CTG_ACCESS_FRAMES = 48, CTG_ACCESS_LOCKS = 160 };

/// Beside each value that is guarded; zeroed at first.
struct ctg_access {
  uint64_t state;  // the thread that writes, how many read, whether another came in between
  uint32_t last_thread;
  uint32_t paused_at;  // milliseconds; 0 while only one thread has come by
  uint32_t reported;
};

/// One of two accesses that overlap.
struct ctg_access_side {
  bool writes;
  pid_t thread;
  char thread_name[16];
  char locks[CTG_ACCESS_LOCKS];  // that the thread was seen to hold, in words; empty if it is not watched
  size_t frame_count;
  uintptr_t frames[CTG_ACCESS_FRAMES];
};

/// `first` is the one that was under way when `second` began.
struct ctg_overlap {
  const struct ctg_access *access;
  struct ctg_access_side first, second;
};

/// Before a value is read or written. What it returns is for ctg_access_end, on the same thread.
int ctg_access_begin(struct ctg_access *access, bool writes);

/// After it. Returns whether another thread's access overlapped, and what is known of both; once for each overlap that
/// is told, and a few times for each value.
bool ctg_access_end(struct ctg_access *access, int token, struct ctg_overlap *overlap);

/// Forgets what was left for a value that goes.
void ctg_access_forget(const struct ctg_access *access);

#pragma GCC visibility pop
