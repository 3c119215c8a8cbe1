#pragma once

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "CCrashCapture.h"

int calls(int captures);
int restarts(void);
int stacks(void);
int failures(void);
int crash(void);
int forks(void);
int first_fork(void);
int fork_in_preparation(void);
int fork_in_swift_work(void);
int work_in_fork(void);
/// Captures without end.
void *capture_on(void *unused);
/// Captures, and prints what came of it; 0.
int print(const char *message);

static inline long long now_ns(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * 1000000000ll + time.tv_nsec;
}
