// What the calls answer, and errno: printed, so that the answers with and without can be compared.

#include <semaphore.h>
#include <time.h>

#include "quiet.h"

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER, checking = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;
static sem_t semaphore;

#define ANSWER(call)                                    \
  do {                                                  \
    errno = 77;                                         \
    int answer = call;                                  \
    printf("%s: %d, errno %d\n", #call, answer, errno); \
  } while (0)

static void *from_another_thread(void *unused) {
  struct timespec past = {.tv_sec = 1};
  pthread_cond_t never = PTHREAD_COND_INITIALIZER;
  pthread_mutex_t own = PTHREAD_MUTEX_INITIALIZER;
  ANSWER(pthread_mutex_trylock(&mutex));
  ANSWER(pthread_mutex_timedlock(&mutex, &past));
  ANSWER(pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &past));
  ANSWER(pthread_rwlock_tryrdlock(&rwlock));
  ANSWER(pthread_rwlock_trywrlock(&rwlock));
  ANSWER(pthread_rwlock_timedrdlock(&rwlock, &past));
  ANSWER(pthread_rwlock_timedwrlock(&rwlock, &past));
  ANSWER(pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &past));
  ANSWER(pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &past));
  ANSWER(pthread_mutex_lock(&own));
  ANSWER(pthread_cond_timedwait(&never, &own, &past));
  ANSWER(pthread_cond_clockwait(&never, &own, CLOCK_MONOTONIC, &past));
  ANSWER(pthread_mutex_unlock(&own));
  return unused;
}

int main(void) {
  struct timespec past = {.tv_sec = 1};
  pthread_t thread;
  ANSWER(pthread_mutex_lock(&mutex));
  ANSWER(pthread_rwlock_wrlock(&rwlock));
  MUST(pthread_create(&thread, NULL, from_another_thread, NULL));
  MUST(pthread_join(thread, NULL));
  ANSWER(pthread_rwlock_unlock(&rwlock));
  ANSWER(pthread_mutex_unlock(&mutex));
  ANSWER(pthread_mutex_lock(&checking));
  ANSWER(pthread_mutex_trylock(&checking));
  ANSWER(pthread_mutex_unlock(&checking));
  ANSWER(pthread_mutex_timedlock(&mutex, &(struct timespec){.tv_sec = 1, .tv_nsec = -1}));
  ANSWER(pthread_mutex_unlock(&mutex));
  ANSWER(pthread_rwlock_rdlock(&rwlock));
  ANSWER(pthread_rwlock_tryrdlock(&rwlock));
  ANSWER(pthread_rwlock_unlock(&rwlock));
  ANSWER(pthread_rwlock_unlock(&rwlock));
  ANSWER(sem_init(&semaphore, 0, 1));
  ANSWER(sem_wait(&semaphore));
  ANSWER(sem_trywait(&semaphore));
  ANSWER(sem_timedwait(&semaphore, &past));
  ANSWER(sem_clockwait(&semaphore, CLOCK_MONOTONIC, &past));
  ANSWER(sem_post(&semaphore));
  ANSWER(sem_destroy(&semaphore));
  ANSWER(pthread_mutex_destroy(&checking));
}
