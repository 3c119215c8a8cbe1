// Other threads in unusual states while one crashes.
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

#include "probe.h"

static pthread_barrier_t barrier;

static void *wait_there(void *argument) {
  if (argument) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, NULL);
  }
  pthread_barrier_wait(&barrier);
  for (;;) pause();
}

static int with_threads(int count, void *argument) {
  install_crashkit();
  pthread_barrier_init(&barrier, NULL, (unsigned)count + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  for (int i = 0; i < count; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, &small, wait_there, argument) == 0);
  }
  pthread_barrier_wait(&barrier);
  store((char *)8);
  return 7;
}
static int all_blocked(void) { return with_threads(8, (void *)1); }
static int thousand(void) { return with_threads(1000, NULL); }
static int ten_thousand(void) { return with_threads(10000, NULL); }

static char main_thread_state(void) {
  char path[64], line[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", getpid());
  FILE *file = fopen(path, "r");
  const char *name_end = file && fgets(line, sizeof line, file) ? strrchr(line, ')') : NULL;
  if (file) fclose(file);
  return name_end ? name_end[2] : 0;
}

// The kernel lets a thread that joins go on before the other one has ended as a whole.
static void *crash_when_alone(void *main_thread) {
  pthread_join((pthread_t)main_thread, NULL);
  while (main_thread_state() != 'Z') sched_yield();
  store((char *)8);
  return NULL;
}
static int main_thread_gone(void) {
  install_crashkit();
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, crash_when_alone, (void *)pthread_self()) == 0);
  pthread_exit(NULL);
}

// The child of vfork lives until its pipe is closed: at the parent's death.
static int ends[2], ready[2];
static void *wait_in_vfork(void *argument) {
  if (vfork() == 0) {
    char byte = 0;
    close(ends[1]);
    (void)!write(ready[1], &byte, 1);
    (void)!read(ends[0], &byte, 1);
    _exit(0);
  }
  return argument;
}
static int in_vfork(void) {
  install_crashkit();
  CHECK(pipe(ends) == 0 && pipe(ready) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_in_vfork, NULL) == 0);
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  store((char *)8);
  return 7;
}

static void *end_at_once(void *argument) { return argument; }
static void *make_threads(void *argument) {
  for (;;) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, end_at_once, NULL) == 0) pthread_join(thread, NULL);
    if (argument) pthread_barrier_wait(&barrier);
    argument = NULL;
  }
}
static int being_created(void) {
  install_crashkit();
  pthread_barrier_init(&barrier, NULL, 5);
  for (int i = 0; i < 4; ++i) {
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, make_threads, (void *)1) == 0);
  }
  pthread_barrier_wait(&barrier);
  store((char *)8);
  return 7;
}

// As while glibc makes it, but for longer: a machine with much to do lets it wait.
static void *born_slowly(void *argument) {
  uint64_t all = UINT64_MAX, none = 0;
  struct timespec start, now;
  CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all) == 0);
  pthread_barrier_wait(&barrier);
  clock_gettime(CLOCK_MONOTONIC, &start);
  do clock_gettime(CLOCK_MONOTONIC, &now);
  while ((now.tv_sec - start.tv_sec) * 1000 + (now.tv_nsec - start.tv_nsec) / 1000000 < 250);
  CHECK(syscall(SYS_rt_sigprocmask, SIG_SETMASK, &none, NULL, sizeof none) == 0);
  for (;;) pause();
  return argument;
}
static int slow_birth(void) {
  install_beside(born_slowly, &barrier);
  store((char *)8);
  return 7;
}

static int odd_name(void) {
  install_crashkit();
  pthread_setname_np(pthread_self(), "a\"\\\n\x01\xff\xfe)é");
  store((char *)8);
  return 7;
}

static int not_dumpable(void) {
  if (getuid() == 0) CHECK(chown(getenv("CRASHKIT_DIRECTORY"), 65534, 65534) == 0);
  install_crashkit();
  if (getuid() == 0) CHECK(setresgid(65534, 65534, 65534) == 0 && setresuid(65534, 65534, 65534) == 0);
  CHECK(prctl(PR_SET_DUMPABLE, 0) == 0);
  store((char *)8);
  return 7;
}

// What happens around the process meanwhile is another one's doing.
static int crash_when_told(void) {
  install_crashkit();
  char byte;
  CHECK(write(1, "ready\n", 6) == 6 && read(0, &byte, 1) == 1);
  store((char *)8);
  return 7;
}

// --- Mappings --------------------------------------------------------------------------------------------------------

#define MANY 2048

static void open_where_it_faults(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  open_page(info->si_addr);
}

static void *fault_among_many(void *argument) {
  char *page = argument;
  store(page);
  CHECK(page[0] == 1);
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  return NULL;
}

static long mappings(void) {
  long lines = 0;
  FILE *file = fopen("/proc/self/maps", "r");
  CHECK(file);
  for (int byte; (byte = getc(file)) != EOF;) lines += byte == '\n';
  fclose(file);
  return lines;
}

// How many mappings there are while so many threads live, each of which had a fault repaired; and so many again.
static int mappings_of_threads(void) {
  struct sigaction action = action_of(open_where_it_faults, 0);
  install_around(SIGSEGV, &action);
  pthread_barrier_init(&barrier, NULL, MANY + 1);
  pthread_attr_t small;
  pthread_attr_init(&small);
  pthread_attr_setstacksize(&small, 64 * 1024);
  pthread_t threads[MANY];
  char *pages = mmap(NULL, MANY * 4096ul, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(pages != MAP_FAILED);
  for (int round = 0; round < 2; ++round) {
    CHECK(mprotect(pages, MANY * 4096ul, PROT_NONE) == 0);
    for (int i = 0; i < MANY; ++i)
      CHECK(pthread_create(&threads[i], &small, fault_among_many, pages + i * 4096ul) == 0);
    pthread_barrier_wait(&barrier);
    say("%ld\n", mappings());
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < MANY; ++i) CHECK(pthread_join(threads[i], NULL) == 0);
  }
  return 7;
}

const probe bystander_probes[] = {
    {"mappings-of-threads", mappings_of_threads},
    {"all-blocked", all_blocked},
    {"thousand", thousand},
    {"ten-thousand", ten_thousand},
    {"main-thread-gone", main_thread_gone},
    {"in-vfork", in_vfork},
    {"being-created", being_created},
    {"odd-name", odd_name},
    {"not-dumpable", not_dumpable},
    {"when-told", crash_when_told},
    {"slow-birth", slow_birth},
    {NULL, NULL},
};
