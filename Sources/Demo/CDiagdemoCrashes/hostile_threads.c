#include "hostile_threads.h"
#include "CDiagdemoCrashes.h"
#include "hostile_crashes.h"
#include "never_inlined.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

bool had(bool condition, const char *what) {
  if (!condition) dprintf(STDERR_FILENO, "diagdemo: %s: %s\n", what, strerror(errno));
  return condition;
}

bool start_thread(void *(*body)(void *), void *argument) {
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_t thread;
  errno = pthread_create(&thread, &small, body, argument);
  pthread_attr_destroy(&small);
  return had(errno == 0, "pthread_create");
}

static pthread_barrier_t all_there;

static void *wait_there(void *blocking) {
  if (blocking) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
  }
  pthread_barrier_wait(&all_there);
  for (;;) pause();
  return NULL;
}

TRIGGER void crash_beside_threads(int count, bool blocking) {
  pthread_barrier_init(&all_there, NULL, (unsigned)count + 1);
  for (int i = 0; i < count; i++)
    if (!start_thread(wait_there, blocking ? &all_there : NULL)) return;
  pthread_barrier_wait(&all_there);
  crash_null_write();
}

// The first round is waited for: from then on the thread is in the middle of it.
static void *load_and_unload(void *first_round) {
  for (;;) {
    void *library = dlopen("libanl.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library) dlclose(library);
    if (first_round) pthread_barrier_wait(first_round);
    first_round = NULL;
  }
}

TRIGGER void crash_while_unloading(void) {
  pthread_barrier_init(&all_there, NULL, 2);
  if (!start_thread(load_and_unload, &all_there)) return;
  pthread_barrier_wait(&all_there);
  crash_null_write();
}

static int vfork_started[2], vfork_held[2];

// The child runs until the pipe's other end is closed, which the parent's death does.
static void *wait_in_vfork(void *argument) {
  pid_t child = vfork();
  if (child == 0) {
    char byte = 0;
    close(vfork_held[1]);
    if (write(vfork_started[1], &byte, 1) == 1 && read(vfork_held[0], &byte, 1) < 0) _exit(1);
    _exit(0);
  }
  return argument;
}

TRIGGER void crash_beside_vfork(void) {
  char byte;
  if (!had(pipe(vfork_started) == 0 && pipe(vfork_held) == 0, "pipe") || !start_thread(wait_in_vfork, NULL)
      || !had(read(vfork_started[0], &byte, 1) == 1, "vfork"))
    return;
  crash_null_write();
}

static void *crash_when_joined(void *main_thread) {
  pthread_join((pthread_t)main_thread, NULL);
  crash_null_write();
  return NULL;
}

TRIGGER void crash_without_main_thread(void) {
  if (start_thread(crash_when_joined, (void *)pthread_self())) pthread_exit(NULL);
}

static void *end_there(void *argument) { return argument; }

static void *start_and_join(void *first_round) {
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_there, NULL) == 0) pthread_join(thread, NULL);
    if (first_round) pthread_barrier_wait(first_round);
    first_round = NULL;
  }
}

TRIGGER void crash_while_starting_threads(void) {
  pthread_barrier_init(&all_there, NULL, 5);
  for (int i = 0; i < 4; i++)
    if (!start_thread(start_and_join, &all_there)) return;
  pthread_barrier_wait(&all_there);
  crash_null_write();
}

static atomic_int profiled;

static void note_profile(int signal_number) {
  (void)signal_number;
  atomic_fetch_add(&profiled, 1);
}

static void *work(void *argument) {
  volatile uint64_t sum = 0;
  for (;;) sum += sum * 31 + 7;
  return argument;
}

TRIGGER void crash_while_profiling(void) {
  struct sigaction action = {.sa_handler = note_profile, .sa_flags = SA_RESTART};
  struct itimerval often = {.it_interval.tv_usec = 1000, .it_value.tv_usec = 1000};
  if (!had(sigaction(SIGPROF, &action, NULL) == 0 && setitimer(ITIMER_PROF, &often, NULL) == 0, "SIGPROF")) return;
  for (int i = 0; i < 4; i++)
    if (!start_thread(work, NULL)) return;
  while (atomic_load(&profiled) < 20)
    ;
  crash_null_write();
}
