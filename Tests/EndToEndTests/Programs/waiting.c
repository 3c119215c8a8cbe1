// Two threads wait in the kernel; the main thread writes through a null pointer.
#include <poll.h>
#include <pthread.h>
#include <stddef.h>

struct account {
  long balance;
};

static struct account *volatile account;

__attribute__((noinline)) static void deposit(struct account *target, long amount) {
  target->balance = amount;  // It crashes here.
  __asm__ volatile("");
}

__attribute__((noinline)) static void wait_for_input(pthread_barrier_t *started) {
  pthread_barrier_wait(started);
  for (;;) poll(NULL, 0, -1);
}

static void *worker(void *started) {
  wait_for_input(started);
  return NULL;
}

int main(void) {
  pthread_barrier_t started;
  pthread_barrier_init(&started, NULL, 3);
  for (int i = 0; i < 2; i++) {
    pthread_t thread;
    pthread_create(&thread, NULL, worker, &started);
  }
  pthread_barrier_wait(&started);
  deposit(account, 5);
  return 0;
}
