// Threads that run in turn, or together. What makes them wait is an eventfd: a lock would be a part of what is looked
// at.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "scenarios.h"

struct part {
  void (*run)(void);
  int turn, done;
};

void succeeded(int error, const char *what) {
  if (error == 0) return;
  fprintf(stderr, "%s: %s\n", what, strerror(error));
  exit(70);
}

static int make_event(void) {
  int event = eventfd(0, EFD_CLOEXEC);
  if (event < 0) succeeded(errno, "eventfd");
  return event;
}

static void signal_event(int event) {
  if (eventfd_write(event, 1)) succeeded(errno, "eventfd_write");
}

static void await_event(int event) {
  eventfd_t count;
  if (eventfd_read(event, &count)) succeeded(errno, "eventfd_read");
}

static void *in_turn(void *argument) {
  struct part *part = argument;
  await_event(part->turn);
  part->run();
  signal_event(part->done);
  await_event(part->turn);
  return NULL;
}

void run_in_turn(size_t count, void (*const parts[])(void)) {
  pthread_t threads[count];
  struct part each[count];
  int done = make_event();
  for (size_t i = 0; i < count; i++) {
    each[i].run = parts[i];
    each[i].turn = make_event();
    each[i].done = done;
    MUST(pthread_create(&threads[i], NULL, in_turn, &each[i]));
  }
  for (size_t i = 0; i < count; i++) {
    signal_event(each[i].turn);
    await_event(done);
  }
  for (size_t i = 0; i < count; i++) {
    signal_event(each[i].turn);
    MUST(pthread_join(threads[i], NULL));
    (void)close(each[i].turn);
  }
  (void)close(done);
}

static void *at_once(void *argument) {
  void (*const *part)(void) = argument;
  (*part)();
  return NULL;
}

void run_together(size_t count, void (*const parts[])(void)) {
  pthread_t threads[count];
  for (size_t i = 0; i < count; i++) MUST(pthread_create(&threads[i], NULL, at_once, (void *)&parts[i]));
  for (size_t i = 0; i < count; i++) MUST(pthread_join(threads[i], NULL));
}

void lock_both(pthread_mutex_t *first, pthread_mutex_t *second) {
  MUST(pthread_mutex_lock(first));
  MUST(pthread_mutex_lock(second));
  MUST(pthread_mutex_unlock(second));
  MUST(pthread_mutex_unlock(first));
}
