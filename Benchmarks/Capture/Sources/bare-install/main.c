// What CrashKit.install() cannot do without: the loader opens libunwind's generic library, and the kernel makes a file
// of the breadcrumbs' size with real blocks, maps it and gives it its first page. Nothing else of CrashKit is here, so
// this is the least that install() can take.
//
// bare-install FOLDER    prints: nanoseconds, and nanoseconds of processor time

#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#if defined(__aarch64__)
#define LIBRARY "libunwind-aarch64.so.8"
#else
#define LIBRARY "libunwind-x86_64.so.8"
#endif

enum { file_bytes = 176128 };

static uint64_t nanoseconds(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static int make_file(const char *folder) {
  int directory = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int file = openat(directory, "trial.ring.new", O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (file < 0 || flock(file, LOCK_EX | LOCK_NB) != 0 || fallocate(file, 0, 0, file_bytes) != 0) return -1;
  volatile char *memory = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (memory == MAP_FAILED) return -1;
  memory[0] = 1;
  int result = renameat(directory, "trial.ring.new", directory, "trial.ring");
  close(file);
  close(directory);
  return result;
}

int main(int argc, char **argv) {
  if (argc != 2) {
    fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
    return 64;
  }
  uint64_t start = nanoseconds(CLOCK_MONOTONIC), busy = nanoseconds(CLOCK_THREAD_CPUTIME_ID);
  void *library = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  int file = make_file(argv[1]);
  busy = nanoseconds(CLOCK_THREAD_CPUTIME_ID) - busy;
  start = nanoseconds(CLOCK_MONOTONIC) - start;
  if (!library || file != 0) {
    fprintf(stderr, "%s: %s\n", argv[0], library ? "no file" : dlerror());
    return 74;
  }
  int directory = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  unlinkat(directory, "trial.ring", 0);
  printf("%llu %llu\n", (unsigned long long)start, (unsigned long long)busy);
}
