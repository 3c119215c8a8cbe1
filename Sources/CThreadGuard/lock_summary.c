// The summary at the end. Ordinary libc, at exit.

#include "lock_summary.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "queue_locks.h"
#include "records.h"
#include "thread_state.h"
#include "witnesses.h"

static struct stat standard_error;

void ctg_lock_summary_prepare(void) {
  if (fstat(STDERR_FILENO, &standard_error) != 0) standard_error.st_ino = 0;
}

static const char *plural(unsigned long count) { return count == 1 ? "" : "s"; }

// Standard error, where it is still what it was. Some programs close it as they end (coreutils do): under `crashsym run`
// it is then the parent's.
static int open_standard_error(bool is_run) {
  struct stat now;
  if (fstat(STDERR_FILENO, &now) == 0)
    return now.st_ino == standard_error.st_ino && now.st_dev == standard_error.st_dev ? dup(STDERR_FILENO) : -1;
  if (!is_run) return -1;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/2", getppid());
  return open(path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY);
}

void ctg_lock_summary_say(bool is_run) {
  if (!ctg_options.summary) return;
  int file = open_standard_error(is_run);
  if (file < 0) return;
  unsigned long locks = atomic_load(&ctg_last_identity) + atomic_load(&ctg_opaque_locks);
  unsigned long syncs = atomic_load(&ctg_queue_syncs), orders = ctg_graph.edges.live;
  char text[512];
  int size;
  if (locks + syncs == 0) {
    size = snprintf(text, sizeof text,
                    "ThreadGuard[%d]: no lock was observed, so nothing was checked; locks that are inlined onto futex "
                    "cannot be seen\n", getpid());
  } else {
    size = snprintf(text, sizeof text,
                    "ThreadGuard[%d]: observed %lu lock%s and %lu wait%s for queues; %lu order%s between two\n", getpid(),
                    locks, plural(locks), syncs, plural(syncs), orders, plural(orders));
  }
  // Whoever reads it may be gone.
  ssize_t written = write(file, text, (size_t)size);
  (void)written;
  close(file);
}
