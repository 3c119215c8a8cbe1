// A crash some calls deep, while other threads wait: one in the kernel, one for a lock, one for a condition.
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void *wait_in_the_kernel(void *gate) {
  pause();
  return gate;
}

static void *wait_for_the_lock(void *gate) {
  pthread_mutex_lock(&lock);
  return gate;
}

static void *wait_for_the_condition(void *gate) {
  pthread_mutex_lock(&other);
  pthread_cond_wait(&condition, &other);
  return gate;
}

__attribute__((noinline)) static int fail(volatile int *place, int depth) {
  return depth ? fail(place, depth - 1) + 1 : *place;
}

int main(int count, char **arguments) {
  pthread_t thread;
  pthread_mutex_lock(&lock);
  pthread_create(&thread, 0, wait_in_the_kernel, 0);
  pthread_create(&thread, 0, wait_for_the_lock, 0);
  pthread_create(&thread, 0, wait_for_the_condition, 0);
  usleep(300000);
  return fail((volatile int *)(long)(8 * count * (arguments[0] != 0)), 3);
}
