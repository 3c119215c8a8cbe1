// Robust mutexes whose owner died: a thread that ended, and a process that was killed. The next one is told, repairs
// what the lock guards, and goes on; if it does not repair it, the lock can never be had again, however often it is
// tried.

#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quiet.h"

static pthread_mutex_t *mutex;

static void make(void) {
  pthread_mutexattr_t attributes;
  MUST(pthread_mutexattr_init(&attributes));
  MUST(pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST));
  MUST(pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED));
  MUST(pthread_mutex_init(mutex, &attributes));
}

static void *end_with_it(void *unused) {
  lock(mutex);
  return unused;
}

static void owner_ends(void) {
  pthread_t thread;
  MUST(pthread_create(&thread, NULL, end_with_it, NULL));
  MUST(pthread_join(thread, NULL));
}

static void owner_is_killed(void) {
  int status;
  pid_t pid = fork();
  HOLDS(pid >= 0);
  if (pid == 0) {
    lock(mutex);
    raise(SIGKILL);
  }
  HOLDS(waitpid(pid, &status, 0) == pid && WIFSIGNALED(status));
}

static void recover(const char *how, int error) {
  HOLDS(error == EOWNERDEAD);
  MUST(pthread_mutex_consistent(mutex));
  unlock(mutex);
  lock(mutex);
  unlock(mutex);
  printf("recovered by %s\n", how);
}

int main(void) {
  struct timespec end = {.tv_sec = 4102444800};
  mutex = mmap(NULL, sizeof *mutex, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  HOLDS(mutex != MAP_FAILED);
  make();
  owner_ends();
  recover("lock", pthread_mutex_lock(mutex));
  owner_ends();
  recover("trylock", pthread_mutex_trylock(mutex));
  owner_is_killed();
  recover("lock", pthread_mutex_lock(mutex));
  owner_is_killed();
  recover("timedlock", pthread_mutex_timedlock(mutex, &end));
  owner_is_killed();
  HOLDS(pthread_mutex_lock(mutex) == EOWNERDEAD);
  unlock(mutex);
  for (int times = 0; times < 3; ++times) HOLDS(pthread_mutex_lock(mutex) == ENOTRECOVERABLE);
  MUST(pthread_mutex_destroy(mutex));
  make();
  lock(mutex);
  unlock(mutex);
  puts("made anew");
}
