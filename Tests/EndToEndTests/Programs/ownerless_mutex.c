// A Mutex of a Swift runtime without priority inheritance (swiftlang/swift #88523): the library waits by a word of
// three states, which names no owner. Built twice: as the library, and as the program that waits and writes to a null
// pointer. With the argument `stay` it prints its number instead, and ends with its standard input.
#define _GNU_SOURCE
#include <linux/futex.h>
#include <pthread.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

void lock_slow(unsigned *word);

#ifdef LIBRARY
// _MutexHandle._lockSlow, by the name that Swift gives it.
__asm__(
    ".globl \"$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF\"\n"
    ".set \"$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF\", lock_slow\n");

void lock_slow(unsigned *word) {
  while (__atomic_exchange_n(word, 2, __ATOMIC_ACQUIRE) != 0) syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, 2, NULL);
}
#else
static unsigned mutex = 1;

static void *take(void *argument) {
  pthread_setname_np(pthread_self(), "waits");
  lock_slow(&mutex);
  return argument;
}

int main(int count, char **words) {
  (void)words;
  pthread_t thread;
  pthread_create(&thread, NULL, take, NULL);
  while (__atomic_load_n(&mutex, __ATOMIC_RELAXED) != 2) usleep(1000);
  usleep(100000);
  if (count > 1) {
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
#endif
