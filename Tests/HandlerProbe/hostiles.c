// Crashes in circumstances that work against the capture.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "CProcessHooks.h"
#include "probe.h"
#include "report/report.h"

static int crash(void) {
  store((char *)8);
  return 7;
}

// --- Faults and stalls inside the capture ----------------------------------------------------------------------

static size_t chosen_stage;
static size_t times_left;

// Once or twice: what a stage gets after that is its last chance.
static bool is_chosen(size_t stage) { return stage == chosen_stage && times_left > 0 && times_left-- > 0; }
static void fault_there(size_t stage) {
  if (is_chosen(stage)) store((char *)16);
}
static void abort_there(size_t stage) {
  if (is_chosen(stage)) abort();
}
static void stall_there(size_t stage) {
  if (is_chosen(stage))
    for (;;) __asm__ volatile("");
}

// What a thread of the program leaves if it stops with the last descriptor in its hand.
static void take_descriptors(void) {
  while (open("/dev/null", O_RDONLY) >= 0) {
  }
  CHECK(errno == EMFILE);
}
static void take_descriptors_there(size_t stage) {
  if (is_chosen(stage)) take_descriptors();
}

static int in_stage(void (*what)(size_t)) {
  install_crashkit();
  chosen_stage = number_from_environment("PROBE_STAGE");
  times_left = getenv("PROBE_TIMES") ? number_from_environment("PROBE_TIMES") : 1;
  ck_report_stage_begins = what;
  return crash();
}
static int fault_in_stage(void) { return in_stage(fault_there); }
static int abort_in_stage(void) { return in_stage(abort_there); }
static int stall_in_stage(void) { return in_stage(stall_there); }

static int descriptors_gone_in_stage(void) {
  struct rlimit limit = {64, 64};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  return in_stage(take_descriptors_there);
}

static int stage_names(void) {
  for (size_t i = 0; i < ck_report_stage_count(); ++i) say("%s\n", ck_report_stage_name(i));
  return 0;
}

// In the middle of what a stage writes.
static bool stalls;
static void provide_half(const crv_json *json) {
  json->begin_object(json->context, "half");
  json->begin_array(json->context, "list");
  json->string(json->context, NULL, "one", 3);
  if (stalls)
    for (;;) __asm__ volatile("");
  store((char *)16);
}
static const crv_section_provider half = {.report = provide_half};
static void provide_half_for_thread(const crv_json *json, int tid) {
  (void)tid;
  json->begin_array(json->context, "heldLocks");
  store((char *)16);
}
static const crv_section_provider half_thread = {.thread = provide_half_for_thread};

static int fault_in_section(void) {
  install_crashkit();
  CHECK(cph_add_section_provider(&half) == 0);
  return crash();
}
static int stall_in_section(void) {
  stalls = true;
  return fault_in_section();
}
static int fault_in_thread_section(void) {
  install_crashkit();
  CHECK(cph_add_section_provider(&half_thread) == 0);
  return crash();
}

// --- Locks that others hold ------------------------------------------------------------------------------------

static pthread_barrier_t barrier;

static int inside_loader(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)info;
  (void)size;
  (void)argument;
  pthread_barrier_wait(&barrier);
  for (;;) pause();
}
static void *hold_loader(void *argument) {
  dl_iterate_phdr(inside_loader, argument);
  return NULL;
}
static int loader_locked(void) {
  install_beside(hold_loader, &barrier);
  return crash();
}

static void *hold_stdio(void *argument) {
  flockfile(stderr);
  flockfile(stdout);
  pthread_barrier_wait(&barrier);
  for (;;) pause();
  return argument;
}
static int stdio_locked(void) {
  install_beside(hold_stdio, &barrier);
  return crash();
}

// The crashing thread itself is inside malloc, in the middle of a damaged heap.
static int malloc_locked(void) {
  install_crashkit();
  struct chunk {
    struct chunk *next;
  };
  struct chunk *a = malloc(5000), *b = malloc(5000), *c = malloc(5000);
  free(b);
  // An unsorted chunk's links lead to an address that is not there: malloc follows them with its lock held.
  b[0].next = (struct chunk *)0x4141414141410000;
  b[1].next = (struct chunk *)0x4141414141410000;
  char *d = malloc(200000), *e = malloc(4000);
  return a == (void *)d || c == (void *)e ? 8 : 7;
}

// --- Descriptors ------------------------------------------------------------------------------------------------

static int descriptors_used_up(void) {
  install_crashkit();
  struct rlimit limit = {64, 64};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  take_descriptors();
  return crash();
}

// A thread takes the last descriptor and gives it back, again and again.
static void *take_last_descriptor(void *started) {
  for (;;) {
    int fd = open("/dev/null", O_RDONLY);
    if (fd < 0) continue;
    atomic_store((atomic_bool *)started, true);
    close(fd);
  }
  return NULL;
}

static int descriptors_raced_for(void) {
  install_crashkit();
  struct rlimit limit = {64, 64};
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  int last = -1;
  for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;) last = fd;
  close(last);
  static atomic_bool started;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, take_last_descriptor, &started) == 0);
  while (!atomic_load(&started)) sched_yield();
  return crash();
}

static int descriptors_soft_limit(void) {
  install_crashkit();
  struct rlimit limit;
  getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = 64;
  CHECK(setrlimit(RLIMIT_NOFILE, &limit) == 0);
  take_descriptors();
  return crash();
}

// All descriptors closed, and the program's own files in their places; in the folder PROBE_FILES.
static int descriptors_reopened(void) {
  install_crashkit();
  const char *folder = getenv("PROBE_FILES");
  CHECK(folder);
  for (int fd = 0; fd < 1024; ++fd) close(fd);
  for (int fd = 0; fd < 300; ++fd) {
    char path[512];
    snprintf(path, sizeof path, "%s/%d", folder, fd);
    if (open(path, O_RDWR | O_CREAT | O_EXCL, 0600) != fd) _exit(98);
  }
  return crash();
}

static int stderr_closed(void) {
  install_crashkit();
  close(2);
  return crash();
}

static int started_without_stderr(void) {
  close(0);
  close(1);
  close(2);
  install_crashkit();
  // The lowest numbers are the program's own, as they would have been.
  for (int fd = 0; fd < 3; ++fd)
    if (open("/dev/null", O_RDWR) != fd) _exit(98);
  return crash();
}

static int pipe_without_reader(void) {
  install_crashkit();
  int ends[2];
  CHECK(pipe(ends) == 0);
  dup2(ends[1], 2);
  close(ends[0]);
  close(ends[1]);
  return crash();
}

static int full_pipe(void) {
  install_crashkit();
  int ends[2];
  CHECK(pipe(ends) == 0);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  static char bytes[4096];
  while (write(ends[1], bytes, sizeof bytes) > 0) {
  }
  fcntl(ends[1], F_SETFL, 0);
  dup2(ends[1], 2);
  return crash();
}

static int full_pipe_at_start(void) {
  int ends[2];
  CHECK(pipe(ends) == 0);
  fcntl(ends[1], F_SETFL, O_NONBLOCK);
  static char bytes[4096];
  while (write(ends[1], bytes, sizeof bytes) > 0) {
  }
  fcntl(ends[1], F_SETFL, 0);
  dup2(ends[1], 2);
  install_crashkit();
  return crash();
}

// --- Space ------------------------------------------------------------------------------------------------------

static int file_size_limit(void) {
  install_crashkit();
  struct rlimit limit = {2048, 2048};
  CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
  return crash();
}

static int address_space_used_up(void) {
  install_crashkit();
  struct rlimit limit = {0, 0};
  CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
  return crash();
}

void remove_report_folder(void) {
  char command[600];
  snprintf(command, sizeof command, "rm -r '%s'", getenv("CRASHKIT_DIRECTORY"));
  CHECK(system(command) == 0);
}

static int directory_removed(void) {
  install_crashkit();
  remove_report_folder();
  return crash();
}

static int directory_linked(void) {
  install_crashkit();
  char command[1200];
  snprintf(command, sizeof command, "rm -rf '%s' && ln -s '%s' '%s'", getenv("CRASHKIT_DIRECTORY"),
           getenv("PROBE_FILES"), getenv("CRASHKIT_DIRECTORY"));
  CHECK(system(command) == 0);
  return crash();
}

// --- What the handler calls -------------------------------------------------------------------------------------

// Bound as the program is loaded, not while the mark is.
static int (*const volatile wait_for_signals)(void) = pause;

static void *wait_there(void *argument) {
  pthread_barrier_wait(&barrier);
  for (;;) wait_for_signals();
  return argument;
}

static volatile bool crashing;
#define ALLOCATES                                                     \
  do {                                                                \
    if (crashing && write(2, "allocated in the handler\n", 25) < 0) { \
    }                                                                 \
  } while (0)
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
void *malloc(size_t size) {
  ALLOCATES;
  return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
  ALLOCATES;
  return __libc_calloc(count, size);
}
void *realloc(void *block, size_t size) {
  ALLOCATES;
  return __libc_realloc(block, size);
}
void free(void *block) {
  ALLOCATES;
  __libc_free(block);
}

// Calls a function that nothing else here calls, then crashes: what the loader binds behind it, the handler calls.
static int marked_crash_alone(void) {
  CHECK(getppid() > 0);
  return crash();
}

static int marked_crash(void) {
  install_beside(wait_there, &barrier);
  CHECK(getppid() > 0);
  crashing = true;
  return crash();
}

const probe hostile_probes[] = {
    {"marked-crash", marked_crash},
    {"marked-crash-alone", marked_crash_alone},
    {"stage-names", stage_names},
    {"fault-in-stage", fault_in_stage},
    {"abort-in-stage", abort_in_stage},
    {"stall-in-stage", stall_in_stage},
    {"descriptors-gone-in-stage", descriptors_gone_in_stage},
    {"fault-in-section", fault_in_section},
    {"stall-in-section", stall_in_section},
    {"fault-in-thread-section", fault_in_thread_section},
    {"loader-locked", loader_locked},
    {"stdio-locked", stdio_locked},
    {"malloc-locked", malloc_locked},
    {"descriptors-used-up", descriptors_used_up},
    {"descriptors-raced-for", descriptors_raced_for},
    {"descriptors-soft-limit", descriptors_soft_limit},
    {"descriptors-reopened", descriptors_reopened},
    {"stderr-closed", stderr_closed},
    {"started-without-stderr", started_without_stderr},
    {"pipe-without-reader", pipe_without_reader},
    {"full-pipe", full_pipe},
    {"full-pipe-at-start", full_pipe_at_start},
    {"file-size-limit", file_size_limit},
    {"address-space-used-up", address_space_used_up},
    {"directory-removed", directory_removed},
    {"directory-linked", directory_linked},
    {NULL, NULL},
};
