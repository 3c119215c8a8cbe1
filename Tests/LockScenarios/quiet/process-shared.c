// A mutex, a condition and a semaphore in memory that two processes share: what one takes, the other may have taken
// last.

#include <semaphore.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "quiet.h"

enum { ROUNDS = 5000 };

struct shared {
  pthread_mutex_t mutex, below;
  pthread_cond_t changed;
  sem_t semaphore;
  int turn, sum;
};

static void take_turns(struct shared *shared, int own) {
  for (int i = 0; i < ROUNDS; i++) {
    lock(&shared->mutex);
    while (shared->turn != own) MUST(pthread_cond_wait(&shared->changed, &shared->mutex));
    lock(&shared->below);
    shared->sum += own + 1;
    unlock(&shared->below);
    shared->turn = !own;
    MUST(pthread_cond_signal(&shared->changed));
    unlock(&shared->mutex);
  }
  HOLDS(sem_post(&shared->semaphore) == 0);
}

int main(void) {
  struct shared *shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  HOLDS(shared != MAP_FAILED);
  pthread_mutexattr_t mutex;
  pthread_condattr_t condition;
  MUST(pthread_mutexattr_init(&mutex));
  MUST(pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED));
  MUST(pthread_condattr_init(&condition));
  MUST(pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED));
  MUST(pthread_mutex_init(&shared->mutex, &mutex));
  MUST(pthread_mutex_init(&shared->below, &mutex));
  MUST(pthread_cond_init(&shared->changed, &condition));
  HOLDS(sem_init(&shared->semaphore, 1, 0) == 0);
  pid_t pid = fork();
  HOLDS(pid >= 0);
  take_turns(shared, pid == 0);
  if (pid == 0) return 0;
  int status;
  HOLDS(waitpid(pid, &status, 0) == pid && status == 0);
  while (sem_wait(&shared->semaphore)) {
  }
  while (sem_wait(&shared->semaphore)) {
  }
  printf("%d\n", shared->sum);
}
