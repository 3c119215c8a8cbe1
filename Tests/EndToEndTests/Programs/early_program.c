// A program that calls interposed functions before the loader has begun any library, as one with ThreadSanitizer does,
// for which it pretends to be one.

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

void early_library(void);

__attribute__((visibility("default"))) void __tsan_init(void) {}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void call_early(void) {
  struct sigaction action;
  sigaction(SIGUSR1, NULL, &action);
  sigaction(SIGUSR1, &action, NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
}

__attribute__((section(".preinit_array"), used)) static void (*const first)(void) = call_early;

int main(void) {
  early_library();
  return dlerror() ? 88 : 3;
}
