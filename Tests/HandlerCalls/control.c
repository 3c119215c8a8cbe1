// A program whose handler does all that a handler must not: what the check must find, or it finds nothing.

#define _GNU_SOURCE 1
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void *volatile kept;

static void on_signal(int signal) {
  static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
  static int word;
  struct timespec short_time = {.tv_nsec = 1000};
  kept = malloc(100);
  pthread_mutex_lock(&lock);
  kept = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &short_time);
  getppid();
  // So much that the allocator asks the kernel for more by brk.
  for (int i = 0; i < 100; ++i) kept = malloc(100000);
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
}

int main(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigaction(SIGSEGV, &action, NULL);
  kept = malloc(1);
  free(kept);
  raise(SIGSEGV);
  raise(SIGSEGV);
  return 1;
}
