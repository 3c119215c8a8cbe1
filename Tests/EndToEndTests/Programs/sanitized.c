// What sanitizers find: sanitized WHAT.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared;

static void *write_shared(void *unused) {
  ++shared;
  return unused;
}

static void race(void) {
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i) pthread_create(&threads[i], NULL, write_shared, NULL);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  volatile char *bytes = malloc(8);
  if (strcmp(what, "overflow") == 0) bytes[atoi("8")] = 1;
  if (strcmp(what, "null") == 0) *(volatile char *)8 = 1;
  if (strcmp(what, "abort") == 0) abort();
  free((char *)bytes);
  if (strcmp(what, "last-thread") == 0) pthread_exit(NULL);
  if (strcmp(what, "race") == 0) race();
  if (strcmp(what, "race-_exit") == 0) {
    race();
    _exit(0);
  }
  if (strcmp(what, "race-_Exit") == 0) {
    race();
    _Exit(0);
  }
  return 0;
}
