// A program with an allocator of its own. As it starts, within the first malloc, it calls functions that CrashKit and
// ThreadGuard stand in for, as scudo does. No malloc may be called in there: the program ends with status 86.

#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Alignas(16) char memory[64 << 20];
static _Atomic size_t used;
static enum { NEW, STARTING, READY } state;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t access_lock = PTHREAD_RWLOCK_INITIALIZER;

static void start(void) {
  struct sigaction action;
  stack_t stack;
  sigset_t mask;
  sigaction(SIGSEGV, NULL, &action);
  sigaction(SIGSEGV, &action, NULL);
  signal(SIGUSR1, signal(SIGUSR1, SIG_IGN));
  sigaltstack(NULL, &stack);
  sigprocmask(SIG_SETMASK, NULL, &mask);
  pthread_sigmask(SIG_SETMASK, NULL, &mask);
  prctl(PR_GET_DUMPABLE);
  if (write(STDOUT_FILENO, "started\n", 8) != 8) abort();
  struct epoll_event event;
  epoll_pwait(-1, &event, 1, 0, NULL);
  pthread_mutex_lock(&lock);
  pthread_mutex_unlock(&lock);
  pthread_rwlock_rdlock(&access_lock);
  pthread_rwlock_unlock(&access_lock);
}

void *malloc(size_t size) {
  if (state == STARTING) syscall(SYS_exit_group, 86);
  if (state == NEW) {
    state = STARTING;
    start();
    state = READY;
  }
  size_t room = (size + 31) & ~(size_t)15, place = atomic_fetch_add(&used, room);
  if (place + room > sizeof memory) return NULL;
  *(size_t *)(memory + place) = size;
  return memory + place + 16;
}

void free(void *block) { (void)block; }

void *calloc(size_t count, size_t size) {
  void *block = malloc(count * size);
  return block ? memset(block, 0, count * size) : NULL;
}

void *realloc(void *old, size_t size) {
  char *block = malloc(size);
  size_t before = old ? ((size_t *)old)[-2] : 0;
  return block && old ? memcpy(block, old, before < size ? before : size) : block;
}

static void *run(void *argument) { return malloc((size_t)(uintptr_t)argument); }

int main(int count, char **arguments) {
  pthread_t thread;
  pthread_create(&thread, NULL, run, (void *)64);
  pthread_join(thread, NULL);
  free(malloc(10));
  if (count > 1 && strcmp(arguments[1], "null") == 0) *(volatile int *)8 = 1;
  return 3;
}
