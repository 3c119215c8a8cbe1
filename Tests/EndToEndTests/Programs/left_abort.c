// An abort() is left by a jump out of its handler, and the program dies of something else later: left-abort HOW.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sigjmp_buf way_out;

static void leave(int signal) {
  (void)signal;
  siglongjmp(way_out, 1);
}

__attribute__((noinline)) static void release_twice(void) {
  void *volatile memory = malloc(48);
  free(memory);
  free(memory);  // It is released twice here.
}

static void throw(const char *type) {
  fputs("terminate called after throwing an instance of '", stderr);
  fputs(type, stderr);
  fputs("'\n", stderr);
  abort();
}

static void throw_first(void) { throw("First"); }

static void *release_on_thread(void *unused) {
  release_twice();
  return unused;
}

static void *throw_on_thread(void *unused) {
  throw("Second");
  return unused;
}

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void unlock_first(void) { pthread_mutex_unlock(&first); }

static void survive(void (*deed)(void)) {
  signal(SIGABRT, leave);
  if (sigsetjmp(way_out, 1) == 0) deed();
}

static void die_on_thread(void *(*deed)(void *)) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, deed, NULL) == 0) pthread_join(thread, NULL);
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  if (strcmp(how, "misuse") == 0) {
    survive(unlock_first);
    signal(SIGABRT, SIG_DFL);
    return pthread_mutex_unlock(&second);
  }
  survive(strncmp(how, "thrown", 6) == 0 ? throw_first : release_twice);
  if (strcmp(how, "again") == 0) survive(release_twice);
  signal(SIGABRT, SIG_DFL);
  if (strcmp(how, "again") == 0) release_twice();
  if (strcmp(how, "elsewhere") == 0) die_on_thread(release_on_thread);
  if (strcmp(how, "thrown-elsewhere") == 0) die_on_thread(throw_on_thread);
  if (strcmp(how, "raise") == 0) raise(SIGABRT);
  abort();
}
