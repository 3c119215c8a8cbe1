// Threads with the smallest stack that libc allows, with locks nested three deep.

#include <limits.h>
#include <unistd.h>

#include "quiet.h"

static pthread_mutex_t locks[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int count;

static void *work(void *unused) {
  for (int i = 0; i < 3; i++) lock(&locks[i]);
  count++;
  for (int i = 3; i-- > 0;) unlock(&locks[i]);
  return unused;
}

int main(void) {
  pthread_attr_t attributes;
  MUST(pthread_attr_init(&attributes));
  MUST(pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)));
  for (int i = 0; i < 100; i++) {
    pthread_t thread;
    MUST(pthread_create(&thread, &attributes, work, NULL));
    MUST(pthread_join(thread, NULL));
  }
  printf("%d\n", count);
}
