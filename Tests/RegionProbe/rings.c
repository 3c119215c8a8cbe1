// Breadcrumbs: many producers, wrapping, signals, attaching.
#include "probe.h"
#include "CGround/syscalls.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

enum { TEXT_MAX = 900 };

// A message that its number determines wholly, of changing length: "THREAD NUMBER " and a run of one letter.
static size_t make_message(char *text, unsigned thread, unsigned number) {
  size_t length = (size_t)sprintf(text, "%u %u ", thread, number);
  size_t fill = (thread * 31 + number * 7919) % 97 + (number % 53 == 0 ? 600 : 0);
  memset(text + length, 'a' + (int)((thread + number) % 26), fill);
  return length + fill;
}

static void record_numbered(unsigned thread, unsigned number) {
  char text[TEXT_MAX];
  size_t length = make_message(text, thread, number);
  char category[8];
  int category_length = snprintf(category, sizeof category, "c%u", number % 1000);
  CHECK(ck_breadcrumb_record(text, length, category, (size_t)category_length, (ck_level)(number % (CK_CRITICAL + 1)),
                             NULL));
}

// Reads the whole ring; each breadcrumb must be exactly the one that its number stands for, numbers must rise per
// thread.
static unsigned long verify(const ck_region_view *view, unsigned threads) {
  static ck_ring_reader reader;
  long newest[16];
  unsigned long shown = 0;
  for (unsigned i = 0; i < threads; i++) newest[i] = -1;
  ck_breadcrumb breadcrumb;
  ck_ring_reader_init(&reader, view);
  while (ck_ring_next(&reader, &breadcrumb)) {
    char text[TEXT_MAX], expected[TEXT_MAX], category[8];
    CHECK(breadcrumb.message_length < TEXT_MAX);
    memcpy(text, breadcrumb.message, breadcrumb.message_length);
    text[breadcrumb.message_length] = 0;
    unsigned thread = 99, number = 0;
    CHECK(sscanf(text, "%u %u ", &thread, &number) == 2 && thread < threads, "%s", text);
    size_t length = make_message(expected, thread, number);
    CHECK(length == breadcrumb.message_length && memcmp(text, expected, length) == 0, "%s", text);
    int category_length = snprintf(category, sizeof category, "c%u", number % 1000);
    CHECK(category_length == breadcrumb.category_length);
    CHECK(memcmp(category, breadcrumb.category, (size_t)category_length) == 0);
    CHECK(breadcrumb.level == number % (CK_CRITICAL + 1));
    CHECK((long)number > newest[thread], "thread %u: %u after %ld", thread, number, newest[thread]);
    newest[thread] = number;
    shown++;
  }
  return shown;
}

struct producer {
  pthread_t thread;
  unsigned index, count;
  _Atomic bool *done;
};

static void *produce(void *argument) {
  struct producer *producer = argument;
  for (unsigned number = 0; number < producer->count; number++) record_numbered(producer->index, number);
  *producer->done = true;
  return NULL;
}

/// DIRECTORY RING-SIZE THREADS COUNT: producers and a reader at the same time; then dies by SIGKILL.
int probe_producers(char **arguments) {
  unsigned threads = (unsigned)atoi(arguments[2]), count = (unsigned)atoi(arguments[3]);
  attach(arguments[0], (size_t)atoi(arguments[1]));
  struct producer producers[16];
  _Atomic bool done[16] = {0};
  for (unsigned i = 0; i < threads; i++) {
    producers[i] = (struct producer){.index = i, .count = count, .done = &done[i]};
    pthread_create(&producers[i].thread, NULL, produce, &producers[i]);
  }
  unsigned long reads = 0, shown = 0;
  ck_region_view view;
  for (bool all = false; !all; reads++) {
    all = true;
    for (unsigned i = 0; i < threads; i++) all = all && done[i];
    CHECK(ck_region_view_self(&view));
    shown += verify(&view, threads);
  }
  for (unsigned i = 0; i < threads; i++) pthread_join(producers[i].thread, NULL);
  CHECK(shown > 0);
  // At rest everything that was recorded is either readable or counted.
  static ck_ring_reader reader;
  ck_breadcrumb breadcrumb;
  unsigned long readable = 0;
  CHECK(ck_region_view_self(&view));
  ck_ring_reader_init(&reader, &view);
  while (ck_ring_next(&reader, &breadcrumb)) readable++;
  CHECK(readable + ck_ring_omitted(&reader) == (unsigned long)threads * count);
  printf("reads %lu shown %lu\n", reads, shown);
  fflush(stdout);
  return kill(getpid(), SIGKILL);
}

/// DIRECTORY RING-SIZE COUNT: numbered breadcrumbs, then SIGKILL.
int probe_records(char **arguments) {
  attach(arguments[0], (size_t)atoi(arguments[1]));
  unsigned count = (unsigned)atoi(arguments[2]);
  ck_region_set_application("probe", "1.2", "77");
  CHECK(ck_attribute_set("tenant", 6, "blue", 4) == CK_ATTRIBUTE_SET);
  CHECK(ck_attribute_set("db_password", 11, "hunter2", 7) == CK_ATTRIBUTE_SET);
  int metric = cph_metric_register("cpu.load", 8, "ratio", 5);
  cph_metric_update(metric, 0.5, CPH_METRIC_CRITICAL, true, 0.25);
  for (unsigned number = 0; number < count; number++) record_numbered(0, number);
  return kill(getpid(), SIGKILL);
}

enum { HANDLED_MAX = 5000 };
/// DIRECTORY COUNT: that many of the smallest breadcrumbs, then SIGKILL.
int probe_counted(char **arguments) {
  attach(arguments[0], CK_RING_MIN_SIZE);
  for (long count = atol(arguments[1]); count > 0; count--) ck_breadcrumb_record("", 0, "", 0, CK_INFO, NULL);
  return kill(getpid(), SIGKILL);
}

static volatile unsigned handled;

// Ticks once, so that on a slow machine the interrupted code gets its turn between two handlers.
static void tick_soon(void) {
  struct itimerval once = {.it_value.tv_usec = 50};
  setitimer(ITIMER_REAL, &once, NULL);
}

static void on_tick(int signal) {
  (void)signal;
  // Breadcrumbs of a handler count as a thread of their own.
  for (int i = 0; i < 5; i++) record_numbered(1, handled++);
  if (handled < HANDLED_MAX) tick_soon();
}

/// DIRECTORY: a timer's handler records while it interrupts the recording of others.
int probe_interrupted(char **arguments) {
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  struct sigaction action = {.sa_handler = on_tick};
  sigaction(SIGALRM, &action, NULL);
  // Whoever runs us from a thread of Dispatch hands on a mask that blocks nearly everything.
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, NULL);
  tick_soon();
  ck_region_view view;
  unsigned number = 0;
  while (handled < HANDLED_MAX) {
    for (int i = 0; i < 1000; i++) record_numbered(0, number++);
    CHECK(ck_region_view_self(&view));
    CHECK(verify(&view, 2) > 0);
  }
  return 0;
}

/// DIRECTORY RING-SIZE: what was recorded before there was a file is in the file.
int probe_late_attach(char **arguments) {
  size_t size = (size_t)atoi(arguments[1]);
  long last;
  for (unsigned i = 0; i < 40; i++) record("early", i);
  CHECK(ck_attribute_set("early", 5, "yes", 3) == CK_ATTRIBUTE_SET);
  int metric = cph_metric_register("early", 5, "", 0);
  cph_metric_update(metric, 3, CPH_METRIC_NOMINAL, false, 0);
  attach(arguments[0], size);
  unsigned kept = count_records("early", &last);
  // 48 bytes each: 40 of them fit into the smallest ring.
  CHECK(kept == 40 && last == 39, "%u kept, last %ld", kept, last);
  for (unsigned i = 0; i < 10; i++) record("late", i);
  CHECK(count_records("late", &last) == 10 && last == 9);
  ck_region_view view;
  ck_attribute attribute;
  cph_metric read;
  CHECK(ck_region_view_self(&view) && ck_attribute_read(&view, 0, &attribute));
  CHECK(attribute.value_length == 3 && memcmp(attribute.value, "yes", 3) == 0);
  CHECK(ck_metric_read(&view, metric, &read) && read.value == 3);
  CHECK(ck_region_attach(-1, NULL, size) == -EALREADY);
  return 0;
}

enum { RACE_KEYS = 40 };

struct setter {
  int rounds;
  _Atomic bool done;
  _Atomic int step;
};

// Nobody else sets attributes, so each must keep its value until it is set again.
static void *set_attributes(void *argument) {
  struct setter *setter = argument;
  int values[RACE_KEYS];
  ck_region_view view;
  // This may be the first thread to run: nothing is there before something is recorded.
  CHECK(ck_attribute_set("key0", 4, "", 0) == CK_ATTRIBUTE_SET);
  CHECK(ck_region_view_self(&view));
  for (int i = 0; i < RACE_KEYS; i++) values[i] = -1;
  for (int step = 0; step < RACE_KEYS * setter->rounds; step++) {
    char key[16], value[16];
    int turn = step % RACE_KEYS;
    int key_length = snprintf(key, sizeof key, "key%d", turn), length = snprintf(value, sizeof value, "%d", step);
    CHECK(ck_attribute_set(key, (size_t)key_length, value, (size_t)length) == CK_ATTRIBUTE_SET);
    values[turn] = step;
    setter->step = step;
    for (int i = 0; i < RACE_KEYS && values[i] >= 0; i++) {
      ck_attribute attribute;
      CHECK(ck_attribute_read(&view, i, &attribute));
      length = snprintf(value, sizeof value, "%d", values[i]);
      CHECK(attribute.value_length == length && memcmp(attribute.value, value, (size_t)length) == 0, "%s", value);
    }
  }
  setter->done = true;
  return NULL;
}

/// DIRECTORY ROUNDS: others record and set attributes while the memory is exchanged under them, at last for a file.
int probe_attach_race(char **arguments) {
  struct producer producers[3];
  _Atomic bool done[3] = {0};
  for (unsigned i = 0; i < 3; i++) {
    producers[i] = (struct producer){.index = i, .count = 20000, .done = &done[i]};
    pthread_create(&producers[i].thread, NULL, produce, &producers[i]);
  }
  pthread_t setter_thread;
  struct setter setter = {.rounds = (int)strtol(arguments[1], NULL, 10)};
  pthread_create(&setter_thread, NULL, set_attributes, &setter);
  while (!setter.done) {
    // The lock is not a fair one: let the setter have it in between.
    for (int step = setter.step; !setter.done && setter.step == step;) sched_yield();
    CHECK(ck_region_resize(CK_RING_MAX_SIZE) == 0);
    CHECK(ck_region_resize(CK_RING_MIN_SIZE) == 0);
  }
  attach(arguments[0], 131072);
  ck_region_view view;
  CHECK(ck_region_view_self(&view));
  verify(&view, 3);
  for (unsigned i = 0; i < 3; i++) pthread_join(producers[i].thread, NULL);
  pthread_join(setter_thread, NULL);
  record_numbered(0, producers[0].count);
  CHECK(ck_region_view_self(&view) && view.ring_size == 131072);
  CHECK(verify(&view, 3) > 0);
  return 0;
}

static unsigned open_descriptors(void) {
  unsigned count = 0;
  for (int fd = 0; fd < 1024; fd++) {
    char path[32];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    count += access(path, F_OK) == 0;
  }
  return count;
}

/// DIRECTORY: errno stays what it was; no descriptor stays open.
int probe_quiet(char **arguments) {
  unsigned before = open_descriptors();
  errno = 4711;
  CHECK(ck_breadcrumb_record("first", 5, "", 0, CK_INFO, NULL));
  CHECK(errno == 4711);
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  CHECK(open_descriptors() == before);
  pid_t child = fork();
  if (child == 0) {
    errno = 4712;
    CHECK(ck_breadcrumb_record("first of the child", 18, "", 0, CK_INFO, NULL));
    CHECK(errno == 4712);
    CHECK(open_descriptors() == before);
    _exit(0);
  }
  expect_success(child);
  return 0;
}
