// A library that dlopened-libraries.c opens and closes: it locks as it comes and as it goes.

#include <pthread.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void both(pthread_mutex_t *one, pthread_mutex_t *other) {
  pthread_mutex_lock(one);
  pthread_mutex_lock(other);
  pthread_mutex_unlock(other);
  pthread_mutex_unlock(one);
}

__attribute__((constructor)) static void come(void) { both(&first, &second); }
__attribute__((destructor)) static void go(void) { both(&first, &second); }

static void *work(void *unused) {
  both(&first, &second);
  return unused;
}

int plugin_work(void) {
  pthread_t thread;
  if (pthread_create(&thread, 0, work, 0)) return -1;
  return pthread_join(thread, 0);
}
