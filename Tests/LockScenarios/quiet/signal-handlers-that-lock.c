// A handler that locks, at any moment: while the thread holds a lock, and while it is about to take one. The handler's
// lock is never held by the code that it interrupts.

#include <semaphore.h>
#include <signal.h>
#include <sys/time.h>

#include "quiet.h"

enum { SIGNALS = 1000 };

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_mutex_t of_handler = PTHREAD_MUTEX_INITIALIZER, below_handler = PTHREAD_MUTEX_INITIALIZER;
static sem_t semaphore;
static volatile sig_atomic_t signals;

static void handle(int number) {
  int error = errno;
  (void)number;
  lock(&of_handler);
  lock(&below_handler);
  signals++;
  unlock(&below_handler);
  unlock(&of_handler);
  if (sem_post(&semaphore)) abort();
  errno = error;
}

int main(void) {
  struct sigaction action = {.sa_handler = handle};
  struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}}, never = {0};
  HOLDS(sem_init(&semaphore, 0, 0) == 0);
  HOLDS(sigaction(SIGALRM, &action, NULL) == 0);
  HOLDS(setitimer(ITIMER_REAL, &often, NULL) == 0);
  while (signals < SIGNALS) {
    pthread_mutex_t fresh = PTHREAD_MUTEX_INITIALIZER;
    lock(&outer);
    lock(&inner);
    lock(&fresh);
    unlock(&fresh);
    unlock(&inner);
    unlock(&outer);
    MUST(pthread_mutex_destroy(&fresh));
  }
  HOLDS(setitimer(ITIMER_REAL, &never, NULL) == 0);
  int posted;
  HOLDS(sem_getvalue(&semaphore, &posted) == 0);
  HOLDS(posted == signals);
  puts("handled");
}
