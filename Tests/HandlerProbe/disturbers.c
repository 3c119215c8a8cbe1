// Programs in which something goes on while one thread crashes.
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/time.h>

#include "probe.h"

static pthread_barrier_t barrier;
static void crash(void) { store((char *)8); }

static void start(void *(*function)(void *)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, function, NULL) == 0);
}

// --- Libraries that come and go --------------------------------------------------------------------------------------

#define LIBRARY "libBrokenLocale.so.1"

static void *load_and_unload(void *argument) {
  for (bool first = true;; first = false) {
    void *library = dlopen(LIBRARY, RTLD_NOW);
    CHECK(library && dlclose(library) == 0);
    if (first) pthread_barrier_wait(&barrier);
  }
  return argument;
}
static int library_unloaded(void) {
  install_crashkit();
  pthread_barrier_init(&barrier, NULL, 3);
  start(load_and_unload);
  start(load_and_unload);
  pthread_barrier_wait(&barrier);
  crash();
  return 7;
}

// Past the loader, which believes that it is still there, and by somebody whom no signal of the capture stops: another
// process with the same memory.
static _Atomic bool unmapping;
static char *image;
static size_t image_size;
static int find_image(struct dl_phdr_info *info, size_t size, void *path) {
  (void)size;
  if (!strstr(info->dlpi_name, LIBRARY)) return 0;
  image = (char *)info->dlpi_addr;
  snprintf(path, 512, "%s", info->dlpi_name);
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_LOAD && !(info->dlpi_phdr[i].p_flags & PF_W))
      image_size = info->dlpi_phdr[i].p_vaddr + info->dlpi_phdr[i].p_memsz;
  return 1;
}
static int unmap_and_map(void *file) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  int flags = MAP_PRIVATE | MAP_FIXED;
  for (bool first = true;; first = false) {
    munmap(image, image_size);
    if (first) atomic_store(&unmapping, true);
    mmap(image, image_size, PROT_READ | PROT_EXEC, flags, (int)(intptr_t)file, 0);
  }
}
static int image_unmapped(void) {
  char path[512];
  CHECK(dlopen(LIBRARY, RTLD_NOW) && dl_iterate_phdr(find_image, path) == 1);
  install_crashkit();
  intptr_t file = open(path, O_RDONLY | O_CLOEXEC);
  char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(stack != MAP_FAILED);
  int child = clone(unmap_and_map, stack + 65536, CLONE_VM, (void *)file);
  CHECK(child > 0);
  while (!atomic_load(&unmapping)) __asm__ volatile("");
  crash();
  return 7;
}

// --- A profiler ---------------------------------------------------------------------------------------------------

#define PROFILED 4
static _Atomic long ticks, foreign;
static _Atomic bool done;

static void tick(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)context;
  atomic_fetch_add(info->si_code == SI_KERNEL ? &ticks : &foreign, 1);
}
static void *work(void *argument) {
  pthread_barrier_wait(&barrier);
  while (!atomic_load(&done)) __asm__ volatile("");
  return argument;
}
static void profile(void) {
  struct sigaction action = {.sa_sigaction = tick, .sa_flags = SA_SIGINFO | SA_RESTART};
  sigfillset(&action.sa_mask);
  install_around(SIGPROF, &action);
  pthread_barrier_init(&barrier, NULL, PROFILED + 1);
  for (int i = 0; i < PROFILED; ++i) start(work);
  struct itimerval times = {{0, 1000}, {0, 1000}};
  CHECK(setitimer(ITIMER_PROF, &times, NULL) == 0);
  pthread_barrier_wait(&barrier);
  while (atomic_load(&ticks) < 50) __asm__ volatile("");
}
static int profiled_crash(void) {
  profile();
  crash();
  return 7;
}
static int profiled(void) {
  profile();
  while (atomic_load(&ticks) < 200) __asm__ volatile("");
  struct itimerval times;
  CHECK(getitimer(ITIMER_PROF, &times) == 0);
  struct sigaction action;
  CHECK(sigaction(SIGPROF, NULL, &action) == 0);
  atomic_store(&done, true);
  say("every %ld us, own %d, others' %ld\n", (long)times.it_interval.tv_usec, action.sa_sigaction == tick,
      atomic_load(&foreign));
  return 7;
}

// --- In a handler of the program ------------------------------------------------------------------------------------

static void crash_inside(int signal) {
  (void)signal;
  crash();
}
__attribute__((noinline)) static int interrupted(void) { return raise(SIGUSR1) + 1; }
static int crash_in_handler_with(int flags) {
  struct sigaction action = {.sa_handler = crash_inside, .sa_flags = flags};
  install_around(SIGUSR1, &action);
  return interrupted();
}
static int crash_in_handler(void) { return crash_in_handler_with(0); }
static int crash_in_handler_onstack(void) { return crash_in_handler_with(SA_ONSTACK); }
static void *interrupt_there(void *argument) {
  interrupted();
  return argument;
}
static int crash_in_handler_on_thread(void) {
  struct sigaction action = {.sa_handler = crash_inside, .sa_flags = SA_ONSTACK};
  install_around(SIGUSR1, &action);
  start(interrupt_there);
  for (;;) pause();
}

// --- From outside ------------------------------------------------------------------------------------------------

static int killed_from_outside(void) {
  install_crashkit();
  pid_t self = getpid();
  if (fork() == 0) {
    kill(self, SIGSEGV);
    _exit(0);
  }
  for (;;) pause();
}

const probe disturber_probes[] = {
    {"library-unloaded", library_unloaded},
    {"image-unmapped", image_unmapped},
    {"profiled-crash", profiled_crash},
    {"profiled", profiled},
    {"crash-in-handler", crash_in_handler},
    {"crash-in-handler-onstack", crash_in_handler_onstack},
    {"crash-in-handler-on-thread", crash_in_handler_on_thread},
    {"killed-from-outside", killed_from_outside},
    {NULL, NULL},
};
