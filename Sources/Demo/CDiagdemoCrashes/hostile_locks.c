#include "CDiagdemoCrashes.h"
#include "hostile_crashes.h"
#include "hostile_threads.h"
#include "never_inlined.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_barrier_t lock_is_held;

static void *wait_for_ever(void *argument) {
  pthread_barrier_wait(&lock_is_held);
  for (;;) pause();
  return argument;
}

// A freed chunk's link leads to where nothing is mapped: malloc follows them with its lock held.
TRIGGER void crash_with_malloc_locked(void) {
  // Without a second thread malloc takes no lock.
  pthread_barrier_init(&lock_is_held, NULL, 2);
  if (!start_thread(wait_for_ever, NULL)) return;
  pthread_barrier_wait(&lock_is_held);
  uintptr_t *volatile freed = malloc(5000), *volatile behind = malloc(5000);
  free(freed);
  freed[1] = 0x414141410000;
  void *volatile large = malloc(6000);  // searches the list
  free(large);
  free(behind);
}

static int inside_loader(struct dl_phdr_info *info, size_t size, void *argument) {
  (void)info, (void)size;
  wait_for_ever(argument);
  return 0;
}

static void *iterate_images(void *argument) {
  dl_iterate_phdr(inside_loader, argument);
  return argument;
}

static const char library[] = "./a-library-that-never-comes";

static void *load_library(void *argument) {
  dlopen(library, RTLD_NOW);
  return argument;
}

// A pipe in the place of a library: dlopen waits for its first bytes, with the loader's lock held. No thread can be
// started meanwhile.
TRIGGER void crash_with_loader_locked(void) {
  pthread_barrier_init(&lock_is_held, NULL, 2);
  if (!start_thread(iterate_images, NULL)) return;
  pthread_barrier_wait(&lock_is_held);
  unlink(library);
  if (!had(mkfifo(library, 0600) == 0, "mkfifo") || !start_thread(load_library, NULL)) return;
  int held = open(library, O_WRONLY | O_CLOEXEC);  // returns when the other side is there
  unlink(library);
  if (had(held >= 0, "open")) crash_null_write();
}

static void *hold_stdio(void *argument) {
  flockfile(stdout);
  flockfile(stderr);
  return wait_for_ever(argument);
}

TRIGGER void crash_with_stdio_locked(void) {
  pthread_barrier_init(&lock_is_held, NULL, 2);
  if (!start_thread(hold_stdio, NULL)) return;
  pthread_barrier_wait(&lock_is_held);
  crash_null_write();
}
