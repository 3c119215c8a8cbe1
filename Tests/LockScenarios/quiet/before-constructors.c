// Locks before any library's constructor has run, and has a thread do so: functions of .preinit_array come first of
// all.

#include "quiet.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static int times;

static void *both(void *unused) {
  lock(&outer);
  lock(&inner);
  times++;
  unlock(&inner);
  unlock(&outer);
  return unused;
}

static void early(void) {
  pthread_t thread;
  both(NULL);
  MUST(pthread_create(&thread, NULL, both, NULL));
  MUST(pthread_join(thread, NULL));
  // Held from here into main.
  lock(&outer);
}

__attribute__((section(".preinit_array"), used)) static void (*const first_of_all)(void) = early;

int main(void) {
  unlock(&outer);
  both(NULL);
  printf("%d times\n", times);
}
