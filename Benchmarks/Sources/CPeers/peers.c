#define _GNU_SOURCE 1
#include "peers.h"
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// By declaration: the header belongs to a target that other packages cannot name.
bool ck_breadcrumb_record(const char *message, size_t message_length, const char *category, size_t category_length,
                          uint8_t level, const void *attributes);

static const char message[] = "DidEnterBackground", category[] = "lifecycle";

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

void peer_clock(long count) {
  volatile uint64_t sink = 0;
  for (long i = 0; i < count; i++) sink = now();
  (void)sink;
}

struct slot {
  uint64_t time;
  pid_t thread;
  uint8_t level, category_length;
  uint16_t message_length;
  char text[104];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct slot slots[512];
static uint64_t next;

__attribute__((noinline)) static void mutex_record(const char *text, size_t length, const char *name,
                                                   size_t name_length) {
  static _Thread_local pid_t thread;
  if (thread == 0) thread = gettid();
  uint64_t time = now();
  pthread_mutex_lock(&lock);
  struct slot *slot = &slots[next++ % 512];
  slot->time = time;
  slot->thread = thread;
  slot->level = 2;
  slot->category_length = (uint8_t)name_length;
  slot->message_length = (uint16_t)length;
  memcpy(slot->text, name, name_length);
  memcpy(slot->text + name_length, text, length);
  pthread_mutex_unlock(&lock);
}

void peer_mutex_ring(long count) {
  for (long i = 0; i < count; i++) mutex_record(message, sizeof message - 1, category, sizeof category - 1);
}

void peer_snprintf_ring(long count) {
  static _Thread_local char lines[512][128];
  pid_t thread = gettid();
  for (long i = 0; i < count; i++)
    snprintf(lines[i % 512], sizeof lines[0], "%llu %d info %s %s", (unsigned long long)now(), thread, category,
             message);
}

void peer_crashkit(long count) {
  for (long i = 0; i < count; i++)
    ck_breadcrumb_record(message, sizeof message - 1, category, sizeof category - 1, 2, NULL);
}

struct run {
  peer_body body;
  long count;
  pthread_barrier_t *barrier;
  uint64_t elapsed;
};

static void *run(void *argument) {
  struct run *run = argument;
  run->body(run->count / 10);
  pthread_barrier_wait(run->barrier);
  uint64_t start = now();
  run->body(run->count);
  run->elapsed = now() - start;
  return NULL;
}

double peer_measure(peer_body body, int threads, long count) {
  pthread_t ids[8];
  struct run runs[8];
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, NULL, (unsigned)threads);
  for (int i = 0; i < threads; i++) {
    runs[i] = (struct run){body, count, &barrier, 0};
    pthread_create(&ids[i], NULL, run, &runs[i]);
  }
  uint64_t longest = 0;
  for (int i = 0; i < threads; i++) {
    pthread_join(ids[i], NULL);
    if (runs[i].elapsed > longest) longest = runs[i].elapsed;
  }
  pthread_barrier_destroy(&barrier);
  return (double)longest / (double)count;
}
