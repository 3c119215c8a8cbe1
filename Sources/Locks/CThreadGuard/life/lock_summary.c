// The summary at the end. Ordinary libc, at exit.

#include "life/lock_summary.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "CGround/bounded_write.h"
#include "CGround/descriptors.h"
#include "findings/options.h"
#include "ground/full_tables.h"
#include "ground/libc_functions.h"
#include "ground/work_stack.h"
#include "life/unseen_locks.h"
#include "locks/records.h"
#include "locks/witnesses.h"
#include "queues/queue_locks.h"
#include "threads/thread_state.h"

static struct stat standard_error;

void ctg_lock_summary_prepare(void) {
  if (fstat(STDERR_FILENO, &standard_error) != 0) standard_error.st_ino = 0;
}

static const char *plural(unsigned long count) { return count == 1 ? "" : "s"; }

// Standard error, if it is still the same file. Some programs close it as they end (coreutils do): under `crashsym
// run` it is then the parent's.
static int open_standard_error(bool is_run) {
  struct stat now;
  if (fstat(STDERR_FILENO, &now) == 0)
    return now.st_ino == standard_error.st_ino && now.st_dev == standard_error.st_dev ? dup(STDERR_FILENO) : -1;
  if (!is_run) return -1;
  char path[64];
  snprintf(path, sizeof path, "/proc/%d/fd/2", getppid());
  return open(path, O_WRONLY | O_APPEND | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
}

// Whether the program has a libdispatch of its own, whose functions nothing can stand in for. Every libdispatch has the
// main queue's label in it.
static bool queues_are_hidden(void) {
  static const char label[] = "com.apple.main-thread";
  return !ctg_real_next("dispatch_sync_f") && ctg_program_holds(label, sizeof label);
}

// What was seen of Mutex, if the program uses it. A program that loads no libdispatch may have the Swift runtime inside
// itself: then no wait is seen either.
static const char *mutexes_seen(void) {
  bool is_static = !ctg_real_next("dispatch_sync_f");
  if (!ctg_uses_swift_mutex(is_static)) return NULL;
  return is_static ? "no Mutex of Synchronization was observed"
                   : "a Mutex of Synchronization was observed only while a thread waited for it";
}

static void say(void *argument) {
  int file = open_standard_error(*(const bool *)argument);
  if (file < 0) return;
  unsigned long locks = atomic_load(&ctg_last_identity) + atomic_load(&ctg_opaque_locks);
  unsigned long syncs = atomic_load(&ctg_queue_syncs), orders = ctg_graph.edges.given;
  char text[2048];
  size_t size;
  if (locks + syncs == 0 && !atomic_load(&ctg_opaque_seen)) {
    size =
        (size_t)snprintf(text, sizeof text,
                         "ThreadGuard[%d]: no lock was observed, so nothing was checked; locks that are inlined onto "
                         "futex cannot be seen\n",
                         getpid());
  } else {
    size = (size_t)snprintf(
        text, sizeof text,
        "ThreadGuard[%d]: observed %lu lock%s and %lu wait%s for queues; %lu order%s between two%s\n", getpid(), locks,
        plural(locks), syncs, plural(syncs), orders, plural(orders),
        locks + syncs ? "" : "; all were robust, shared or inherit priority, and are not counted alone");
  }
  if (queues_are_hidden())
    size +=
        (size_t)snprintf(text + size, sizeof text - size,
                         "ThreadGuard[%d]: queues were not observed, because libdispatch is linked statically: only "
                         "guardedSync of a debug build that links ThreadGuard is\n",
                         getpid());
  const char *mutexes = mutexes_seen();
  if (mutexes)
    size += (size_t)snprintf(text + size, sizeof text - size,
                             "ThreadGuard[%d]: %s, because the compiler inlines its functions: import "
                             "ThreadGuardSynchronization in debug builds\n",
                             getpid(), mutexes);
  char others[64];
  ctg_name_unseen_locks(others, sizeof others);
  if (*others)
    size += (size_t)snprintf(text + size, sizeof text - size,
                             "ThreadGuard[%d]: locks were not observed, because they are not libc's: %s\n", getpid(),
                             others);
  for (int limit = 0; limit < CTG_LIMIT_COUNT; ++limit)
    if (ctg_limit_was_reached(limit))
      size += (size_t)snprintf(text + size, sizeof text - size, "ThreadGuard[%d]: not all was checked: %s\n", getpid(),
                               ctg_limit_name(limit));
  cgr_write_bounded(file, text, size, CGR_MESSAGE_WAIT_NS);
  close(file);
}

void ctg_lock_summary_say(bool is_run) {
  if (ctg_options.summary) ctg_on_work_stack(say, &is_run);
}
