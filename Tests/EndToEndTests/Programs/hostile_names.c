// Takes two locks in both orders on threads with names that a terminal or a CI service would obey, and dies.

#include <pthread.h>
#include <signal.h>
#include <sys/prctl.h>

static pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;

static void *take_in_order(void *name) {
  prctl(PR_SET_NAME, name);
  pthread_mutex_lock(&first);
  pthread_mutex_lock(&second);
  pthread_mutex_unlock(&second);
  pthread_mutex_unlock(&first);
  return NULL;
}

static void *take_the_other_way_round(void *name) {
  prctl(PR_SET_NAME, name);
  pthread_mutex_lock(&second);
  pthread_mutex_lock(&first);
  pthread_mutex_unlock(&first);
  pthread_mutex_unlock(&second);
  return NULL;
}

static void run(void *(*work)(void *), const char *name) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, (void *)name);
  pthread_join(thread, NULL);
}

int main(void) {
  run(take_in_order, "\n::error::a");
  run(take_the_other_way_round, "\n##[error]\x1b[2J");
  prctl(PR_SET_NAME, "\x9b\xe2\x80\xae\r\n::error::");
  raise(SIGSEGV);
  return 0;
}
