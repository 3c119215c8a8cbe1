// Locks taken after main, by a thread's keys as it ends, by destructors and by functions of atexit, while a detached
// thread still locks.

#include "quiet.h"

static pthread_mutex_t outer = PTHREAD_MUTEX_INITIALIZER, inner = PTHREAD_MUTEX_INITIALIZER;
static pthread_key_t key;

static void both(const char *who) {
  lock(&outer);
  lock(&inner);
  if (who) puts(who);
  unlock(&inner);
  unlock(&outer);
}

static void of_thread(void *value) {
  both(NULL);
  // Asks for another round, as libraries do whose own keys are destroyed later.
  if (value != &key) MUST(pthread_setspecific(key, &key));
}

static void *thread_with_key(void *unused) {
  MUST(pthread_setspecific(key, &outer));
  return unused;
}

__attribute__((noreturn)) static void *go_on_for_ever(void *unused) {
  for (;;) both(unused);
}

static void at_exit(void) { both("atexit"); }

__attribute__((destructor)) static void destructor(void) { both("destructor"); }

int main(void) {
  pthread_t thread;
  MUST(pthread_key_create(&key, of_thread));
  for (int i = 0; i < 100; i++) {
    MUST(pthread_create(&thread, NULL, thread_with_key, NULL));
    MUST(pthread_join(thread, NULL));
  }
  MUST(pthread_create(&thread, NULL, go_on_for_ever, NULL));
  MUST(pthread_detach(thread));
  MUST(atexit(at_exit));
  both("main");
}
