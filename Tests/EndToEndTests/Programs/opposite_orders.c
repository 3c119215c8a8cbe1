// Takes two locks in both orders, and dies while it holds one that another thread waits for.

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static pid_t _Atomic waiter;

static void *take_in_order(void *unused) {
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return unused;
}

static void *take_the_other_way_round(void *unused) {
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  return unused;
}

static void *wait_for_first(void *unused) {
  waiter = gettid();
  pthread_mutex_lock(&first);
  return unused;
}

static void run(void *(*work)(void *)) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
}

// Until the thread sleeps, which it does nowhere else.
static void wait_until_it_waits(void) {
  char path[64], state = 0;
  while (state != 'S') {
    if (waiter == 0) continue;
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", (int)waiter);
    FILE *file = fopen(path, "r");
    if (!file || fscanf(file, "%*d %*s %c", &state) != 1) state = 0;
    if (file) fclose(file);
  }
}

int main(void) {
  run(take_in_order);
  run(take_the_other_way_round);
  pthread_mutex_lock(&first);
  pthread_t thread;
  pthread_create(&thread, NULL, wait_for_first, NULL);
  wait_until_it_waits();
  *(volatile int *)0 = 1;
  return 0;
}
