// Forks beside captures: the child can capture itself, whatever another thread of the parent was doing.
#include <dlfcn.h>
#include <link.h>
#include <sys/wait.h>

#include "probe.h"

// Whether a child could capture itself.
static bool child_captures(void) {
  pid_t child = fork();
  if (child == 0) {
    ck_live_result result;
    ck_capture("child", 5, &result);
    _exit(result.error == 0 ? 0 : 1);
  }
  int status;
  return waitpid(child, &status, 0) == child && status == 0;
}

int forks(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, capture_on, NULL);
  for (int i = 0; i < 20; ++i)
    if (!child_captures()) return 1;
  return print("parent");
}

// Another thread's first capture begins when this one's first fork has begun already.
static void begin_capturing(void) {
  static bool has_begun;
  if (has_begun) return;
  has_begun = true;
  pthread_t thread;
  pthread_create(&thread, NULL, capture_on, NULL);
  struct timespec rest = {.tv_nsec = 100000000};
  nanosleep(&rest, NULL);
}

int first_fork(void) {
  pthread_atfork(begin_capturing, NULL, NULL);
  return child_captures() ? print("parent") : 1;
}

// --- A fork while another thread makes ready for its first capture ------------------------------------------------

static atomic_bool stays_in_loader;
static pthread_barrier_t in_loader;

// The thread stays where libc holds the loader's lock, until the fork has begun or would have long since.
static int stay(struct dl_phdr_info *info, size_t size, void *unused) {
  (void)info;
  (void)size;
  (void)unused;
  pthread_barrier_wait(&in_loader);
  struct timespec rest = {.tv_nsec = 100000000};
  nanosleep(&rest, NULL);
  return 1;
}

// In the place of libc's for the whole probe.
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *argument) {
  typeof(dl_iterate_phdr) *real = (typeof(dl_iterate_phdr) *)dlsym(RTLD_NEXT, "dl_iterate_phdr");
  if (atomic_exchange(&stays_in_loader, false)) real(stay, NULL);
  return real(callback, argument);
}

int fork_in_preparation(void) {
  pthread_barrier_init(&in_loader, NULL, 2);
  stays_in_loader = true;
  pthread_t thread;
  pthread_create(&thread, NULL, capture_on, NULL);
  pthread_barrier_wait(&in_loader);
  return child_captures() ? print("parent") : 1;
}

// --- A fork while a thread is at work in Swift --------------------------------------------------------------------

static atomic_bool is_done;
static pthread_barrier_t at_work;

static void *work(void *unused) {
  ck_swift_work_begins();
  pthread_barrier_wait(&at_work);
  struct timespec rest = {.tv_nsec = 100000000};
  nanosleep(&rest, NULL);
  is_done = true;
  ck_swift_work_ends();
  return unused;
}

int fork_in_swift_work(void) {
  pthread_t thread;
  pthread_barrier_init(&at_work, NULL, 2);
  pthread_create(&thread, NULL, work, NULL);
  pthread_barrier_wait(&at_work);
  long long begun = now_ns();
  pid_t child = fork();
  if (child == 0) _exit(0);
  // On a busy machine the thread may need longer than a fork waits.
  bool waited = is_done || now_ns() - begun >= 500000000;
  int status;
  if (!waited || waitpid(child, &status, 0) != child || status != 0) return 1;
  pthread_join(thread, NULL);
  // Work that does not end holds no fork up for good.
  ck_swift_work_begins();
  child = fork();
  if (child == 0) _exit(0);
  return waitpid(child, &status, 0) == child && status == 0 ? 0 : 1;
}

// --- Work that begins while another thread forks --------------------------------------------------------------------

static atomic_bool begins_in_fork, has_begun, began_too_soon;
static pthread_t beginner;

static void *begin_work(void *unused) {
  ck_swift_work_begins();
  has_begun = true;
  ck_swift_work_ends();
  return unused;
}

// Behind CrashKit's own function, which was registered later.
static void while_forking(void) {
  if (!begins_in_fork) return;
  pthread_create(&beginner, NULL, begin_work, NULL);
  struct timespec rest = {.tv_nsec = 100000000};
  nanosleep(&rest, NULL);
  began_too_soon = has_begun;
}

__attribute__((constructor)) static void register_first(void) { pthread_atfork(while_forking, NULL, NULL); }

int work_in_fork(void) {
  begins_in_fork = true;
  pid_t child = fork();
  if (child == 0) _exit(0);
  int status;
  bool is_well = waitpid(child, &status, 0) == child && status == 0 && !began_too_soon;
  pthread_join(beginner, NULL);
  return is_well && has_begun ? 0 : 1;
}
