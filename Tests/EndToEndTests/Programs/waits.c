// Threads that wait for what the main thread has, each for a lock of another kind; and two or three that wait for each
// other. When all wait, the main thread writes to a null pointer.
//
// waits KIND [stay]: each, circle, self, circles. circles: one of three threads, and one of a thread alone.
// stay: prints its number, and waits for its input's end.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static pthread_mutex_t plain = PTHREAD_MUTEX_INITIALIZER, of_condition = PTHREAD_MUTEX_INITIALIZER, recursive, inherits;
static pthread_mutex_t circle[3] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static pthread_rwlock_t table = PTHREAD_RWLOCK_INITIALIZER, shared_table = PTHREAD_RWLOCK_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static pthread_mutex_t robust;
static pthread_barrier_t all_have_one, never_met;
static sem_t semaphore;
static pthread_t joined;

static void set_type(pthread_mutex_t *mutex, int type, int robustness, int protocol) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_settype(&attributes, type);
  pthread_mutexattr_setrobust(&attributes, robustness);
  pthread_mutexattr_setprotocol(&attributes, protocol);
  pthread_mutex_init(mutex, &attributes);
}

static void in_a_minute(struct timespec *time) {
  clock_gettime(CLOCK_REALTIME, time);
  time->tv_sec += 60;
}

static void wait_plain(void) { pthread_mutex_lock(&plain); }
static void wait_recursive(void) { pthread_mutex_lock(&recursive); }
static void wait_inherits(void) { pthread_mutex_lock(&inherits); }
static void wait_write(void) { pthread_rwlock_wrlock(&table); }
static void wait_read(void) { pthread_rwlock_rdlock(&table); }
static void wait_for_readers(void) { pthread_rwlock_wrlock(&shared_table); }
static void wait_condition(void) {
  pthread_mutex_lock(&of_condition);
  pthread_cond_wait(&condition, &of_condition);
}
static void wait_timed_condition(void) {
  struct timespec end;
  in_a_minute(&end);
  pthread_mutex_lock(&of_condition);
  pthread_cond_timedwait(&condition, &of_condition, &end);
}
static void wait_timed_write(void) {
  struct timespec end;
  in_a_minute(&end);
  pthread_rwlock_timedwrlock(&table, &end);
}
static void wait_timed(void) {
  struct timespec end;
  in_a_minute(&end);
  pthread_mutex_timedlock(&plain, &end);
}
static void wait_robust(void) { pthread_mutex_lock(&robust); }
static void wait_timed_robust(void) {
  struct timespec end;
  in_a_minute(&end);
  pthread_mutex_timedlock(&robust, &end);
}
static void wait_semaphore(void) { sem_wait(&semaphore); }
static void wait_timed_semaphore(void) {
  struct timespec end;
  in_a_minute(&end);
  sem_timedwait(&semaphore, &end);
}
static void wait_barrier(void) { pthread_barrier_wait(&never_met); }
static void wait_join(void) { pthread_join(joined, NULL); }

static const struct kind {
  const char *name;
  void (*how)(void);
} kinds[] = {
    {"plain", wait_plain},
    {"recursive", wait_recursive},
    {"inherits", wait_inherits},
    {"timed-write", wait_timed_write},
    {"write", wait_write},
    {"read", wait_read},
    {"readers", wait_for_readers},
    {"condition", wait_condition},
    {"timed-cond", wait_timed_condition},
    {"timed", wait_timed},
    {"robust", wait_robust},
    {"timed-robust", wait_timed_robust},
    {"semaphore", wait_semaphore},
    {"timed-sem", wait_timed_semaphore},
    {"barrier", wait_barrier},
    {"join", wait_join},
};
#define KINDS (sizeof kinds / sizeof *kinds)

static void *wait_there(void *argument) {
  const struct kind *kind = argument;
  pthread_setname_np(pthread_self(), kind->name);
  kind->how();
  return NULL;
}

static void *join_circle(void *argument) {
  long own = (long)argument;
  pthread_mutex_lock(&circle[own]);
  pthread_barrier_wait(&all_have_one);
  pthread_mutex_lock(&circle[(own + 1) % 3]);
  return NULL;
}
static void *wait_for_itself(void *argument) {
  pthread_mutex_lock(&plain);
  pthread_mutex_lock(&plain);
  return argument;
}

// Until so many threads of this process sleep in futex. Those at the barrier do not count: they have yet to wait.
static void wait_until_all_wait(int count) {
  for (int waiting = 0; waiting < count; usleep(1000)) {
    waiting = 0;
    char path[64], line[64];
    for (int id = getpid() + 1; id < getpid() + 200; ++id) {
      snprintf(path, sizeof path, "/proc/self/task/%d/syscall", id);
      int file = open(path, O_RDONLY);
      ssize_t size = file < 0 ? 0 : read(file, line, sizeof line - 1);
      if (file >= 0) close(file);
      line[size > 0 ? size : 0] = 0;
      long call = -1;
      unsigned long word = 0;
      bool is_in_call = sscanf(line, "%ld 0x%lx", &call, &word) == 2;
      waiting += is_in_call && call == SYS_futex && word - (uintptr_t)&all_have_one >= sizeof all_have_one;
    }
  }
}

int main(int count, char **arguments) {
  const char *kind = count > 1 ? arguments[1] : "each";
  pthread_t thread;
  int threads = 0;
  if (strcmp(kind, "each") == 0) {
    set_type(&recursive, PTHREAD_MUTEX_RECURSIVE, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_NONE);
    set_type(&inherits, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_STALLED, PTHREAD_PRIO_INHERIT);
    set_type(&robust, PTHREAD_MUTEX_NORMAL, PTHREAD_MUTEX_ROBUST, PTHREAD_PRIO_NONE);
    sem_init(&semaphore, 0, 0);
    pthread_barrier_init(&never_met, NULL, 2);
    pthread_mutex_lock(&plain);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&inherits);
    pthread_mutex_lock(&robust);
    pthread_rwlock_wrlock(&table);
    pthread_rwlock_rdlock(&shared_table);
    for (size_t i = 0; i < KINDS; ++i) {
      pthread_create(&thread, NULL, wait_there, (void *)&kinds[i]);
      if (i == 0) joined = thread;
    }
    threads = KINDS;
  }
  if (strncmp(kind, "circle", 6) == 0) {
    pthread_barrier_init(&all_have_one, NULL, 3);
    for (long i = 0; i < 3; ++i) pthread_create(&thread, NULL, join_circle, (void *)i);
    threads = 3;
  }
  if (strcmp(kind, "self") == 0 || strcmp(kind, "circles") == 0) {
    pthread_create(&thread, NULL, wait_for_itself, NULL);
    threads += 1;
  }
  wait_until_all_wait(threads);
  if (count > 2) {
    printf("%d\n", (int)getpid());
    fflush(stdout);
    char byte;
    while (read(0, &byte, 1) > 0) {
    }
    _exit(0);
  }
  *(volatile int *)8 = 1;
  return 0;
}
