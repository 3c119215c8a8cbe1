// Forked children, and a file that is cut under the program.
#define _GNU_SOURCE 1
#include "probe.h"
#include "CGround/syscalls.h"
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>

extern char **environ;

static pid_t raw_fork(void) { return (pid_t)cgr_syscall5(SYS_clone, SIGCHLD, 0, 0, 0, 0); }

// In the child: it starts with nothing of its parent's breadcrumbs, and with all of its attributes and metrics.
static void be_child(int metric) {
  long last;
  ck_region_view view;
  ck_attribute attribute;
  cph_metric read;
  CHECK(count_records("parent", &last) == 0);
  record("child", 1);
  CHECK(count_records("child", &last) == 1 && count_records("parent", &last) == 0);
  CHECK(ck_region_view_self(&view) && view.pid == (uint32_t)getpid());
  CHECK(ck_attribute_read(&view, 0, &attribute) && memcmp(attribute.value, "blue", 4) == 0);
  cph_metric_update(metric, 2, CPH_METRIC_NOMINAL, false, 0);
  CHECK(ck_metric_read(&view, metric, &read) && read.value == 2);
  CHECK(ck_region_file_name() != NULL);
  printf("child %s\n", ck_region_file_name());
  fflush(stdout);
}

static int fork_by(pid_t (*make)(void), const char *directory) {
  attach(directory, CK_RING_DEFAULT_SIZE);
  CHECK(ck_attribute_set("tenant", 6, "blue", 4) == CK_ATTRIBUTE_SET);
  int metric = cph_metric_register("m", 1, "", 0);
  cph_metric_update(metric, 1, CPH_METRIC_NOMINAL, false, 0);
  for (unsigned i = 0; i < 5; i++) record("parent", i);
  printf("parent %s\n", ck_region_file_name());
  fflush(stdout);
  pid_t child = make();
  if (child == 0) {
    be_child(metric);
    _exit(0);
  }
  expect_success(child);
  long last;
  ck_region_view view;
  cph_metric read;
  record("parent", 5);
  CHECK(count_records("parent", &last) == 6 && last == 5 && count_records("child", &last) == 0);
  CHECK(ck_region_view_self(&view) && ck_metric_read(&view, metric, &read) && read.value == 1);
  return kill(getpid(), SIGKILL);
}

/// DIRECTORY
int probe_fork(char **arguments) { return fork_by(fork, arguments[0]); }

/// DIRECTORY: a child made behind libc's back.
int probe_raw_fork(char **arguments) { return fork_by(raw_fork, arguments[0]); }

/// DIRECTORY record|idle: the parent dies while its child lives on. Prints both; the child ends when its stdin does.
int probe_fork_hold(char **arguments) {
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  record("parent", 0);
  const char *parent_file = ck_region_file_name();
  char name[64];
  snprintf(name, sizeof name, "%s", parent_file);
  int ready[2];
  CHECK(pipe(ready) == 0);
  pid_t child = fork();
  if (child == 0) {
    if (strcmp(arguments[1], "record") == 0) record("child", 0);
    CHECK(write(ready[1], "x", 1) == 1);
    // Whoever waits for the parent may do so by a descriptor that we hold too.
    close_range(STDOUT_FILENO, ~0u, 0);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) continue;
    _exit(0);
  }
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  printf("%s\n", name);
  fflush(stdout);
  return kill(getpid(), SIGKILL);
}

static void *record_forever(void *stop) {
  for (unsigned i = 0; !*(_Atomic bool *)stop; i++) record("parent", i);
  return NULL;
}

static pthread_barrier_t both;

static void *record_in_child(void *name) {
  for (unsigned i = 0; i < 200; i++) record((const char *)name, i);
  // Until here a region may have taken the other's place. What was recorded between the copy and its mapping is lost.
  pthread_barrier_wait(&both);
  for (unsigned i = 200; i < 300; i++) record((const char *)name, i);
  return NULL;
}

/// DIRECTORY: forks while other threads record; in each child several threads record at once.
int probe_fork_of_threads(char **arguments) {
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  _Atomic bool stop = false;
  pthread_t threads[2];
  for (int i = 0; i < 2; i++) pthread_create(&threads[i], NULL, record_forever, &stop);
  for (int round = 0; round < 20; round++) {
    pid_t child = fork();
    if (child == 0) {
      pthread_t own[2];
      long last;
      pthread_barrier_init(&both, NULL, 2);
      pthread_create(&own[0], NULL, record_in_child, "first");
      pthread_create(&own[1], NULL, record_in_child, "second");
      for (int i = 0; i < 2; i++) pthread_join(own[i], NULL);
      CHECK(count_records("parent", &last) == 0);
      CHECK(count_records("first", &last) >= 100 && last == 299);
      CHECK(count_records("second", &last) >= 100 && last == 299);
      record("done", 1);
      CHECK(count_records("done", &last) == 1);
      ck_region_remove_file();
      _exit(0);
    }
    expect_success(child);
  }
  stop = true;
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  long last;
  CHECK(count_records("parent", &last) > 0 && count_records("first", &last) == 0);
  return 0;
}

/// DIRECTORY: vfork and exec share memory with us for a moment.
int probe_spawn(char **arguments) {
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  record("parent", 0);
  for (int i = 0; i < 5; i++) {
    pid_t child;
    char *words[] = {"/bin/true", NULL};
    CHECK(posix_spawn(&child, "/bin/true", NULL, NULL, words, environ) == 0);
    expect_success(child);
    pid_t other = vfork();
    if (other == 0) _exit(0);
    expect_success(other);
  }
  record("parent", 1);
  long last;
  CHECK(count_records("parent", &last) == 2 && last == 1);
  return 0;
}

static volatile sig_atomic_t bus_errors;
static void on_bus(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)context;
  bus_errors++;
  if (!ck_region_handle_bus((uintptr_t)info->si_addr)) _exit(2);
}

/// DIRECTORY LENGTH: the file is cut to a length by someone else, and the program goes on.
int probe_truncated(char **arguments) {
  char path[4096];
  long last, length = atol(arguments[1]);
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  struct sigaction action = {.sa_sigaction = on_bus, .sa_flags = SA_SIGINFO};
  sigaction(SIGBUS, &action, NULL);
  for (unsigned i = 0; i < 10; i++) record("before", i);
  snprintf(path, sizeof path, "%s/%s", arguments[0], ck_region_file_name());
  CHECK(truncate(path, length) == 0);
  unsigned next = 0;
  while (next < 2000 && bus_errors == 0) record("after", next++);
  // What the file still holds is kept, on small pages too.
  unsigned kept = count_records("before", &last);
  CHECK(kept == (length > CPH_REGION_RING_OFFSET ? 10 : 0), "%u", kept);
  while (next < 2000) record("after", next++);
  CHECK(bus_errors == 1, "%d", (int)bus_errors);
  CHECK(count_records("after", &last) > 100 && last == 1999);
  CHECK(ck_attribute_set("still", 5, "works", 5) == CK_ATTRIBUTE_SET);
  CHECK(ck_region_file_name() == NULL);
  CHECK(!ck_region_handle_bus((uintptr_t)&action));
  return 0;
}
