// Forks while this thread holds a lock and others lock all the time. The child releases what its only thread holds,
// goes on with it, and has threads of its own. Libraries lock for the fork too, and make their locks anew in the child:
// one that was there before all others, as an allocator is, and one that comes late.

#include <sys/wait.h>
#include <unistd.h>

#include "quiet.h"

enum { FORKS = 200 };

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER, own = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t busy[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, late = PTHREAD_MUTEX_INITIALIZER;
static int ending;

static void lock_first(void) { lock(&first); }
static void unlock_first(void) { unlock(&first); }
static void renew_first(void) { MUST(pthread_mutex_init(&first, NULL)); }
static void lock_late(void) { lock(&late); }
static void unlock_late(void) { unlock(&late); }
static void renew_late(void) { MUST(pthread_mutex_init(&late, NULL)); }

static void early(void) { MUST(pthread_atfork(lock_first, unlock_first, renew_first)); }

__attribute__((section(".preinit_array"), used)) static void (*const first_of_all)(void) = early;

static void *keep_busy(void *unused) {
  while (!__atomic_load_n(&ending, __ATOMIC_RELAXED)) {
    lock(&busy[0]);
    lock(&busy[1]);
    unlock(&busy[1]);
    unlock(&busy[0]);
  }
  return unused;
}

static void *work_in_child(void *unused) {
  lock(&held);
  lock(&own);
  unlock(&own);
  unlock(&held);
  return unused;
}

static void child(void) {
  pthread_t thread;
  unlock(&held);
  MUST(pthread_create(&thread, NULL, work_in_child, NULL));
  MUST(pthread_join(thread, NULL));
  work_in_child(NULL);
}

int main(void) {
  pthread_t threads[2];
  int good = 0;
  MUST(pthread_atfork(lock_late, unlock_late, renew_late));
  for (int i = 0; i < 2; i++) MUST(pthread_create(&threads[i], NULL, keep_busy, NULL));
  for (int i = 0; i < FORKS; i++) {
    int status;
    lock(&held);
    pid_t pid = fork();
    HOLDS(pid >= 0);
    if (pid == 0) {
      child();
      // One of them by way of its destructors, which are ours too.
      if (i == 0) exit(42);
      _exit(42);
    }
    unlock(&held);
    HOLDS(waitpid(pid, &status, 0) == pid);
    good += WIFEXITED(status) && WEXITSTATUS(status) == 42;
  }
  __atomic_store_n(&ending, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++) MUST(pthread_join(threads[i], NULL));
  printf("%d children\n", good);
}
