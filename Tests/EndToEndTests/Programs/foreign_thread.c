// A thread whose thread pointer is its own, as an emulator's: null, the address of no memory, or that of a block that
// libc does not know, which may begin as its own do.
#define _GNU_SOURCE
#include <asm/prctl.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static char stack[1 << 20] __attribute__((aligned(64)));
static char block[8192] __attribute__((aligned(64)));
static atomic_int repaired, handled, is_there;
static const char *kind;

// libc's own function keeps errno, which is no memory of this thread's.
static long call(long number, long first, long second, long third, long fourth) {
  long result;
  register long r10 __asm__("r10") = fourth;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}

// Skips an instruction of two bytes.
static void repair(int number, siginfo_t *info, void *context) {
  (void)number, (void)info;
  ((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP] += 2;
  atomic_fetch_add(&repaired, 1);
}

static void handle(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static int foreign(void *pointer) {
  call(SYS_arch_prctl, ARCH_SET_FS, (long)pointer, 0, 0);
  unsigned long none = 0;
  call(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof none);
  if (strcmp(kind, "repair") == 0)
    for (int i = 0; i < 3; i++) __asm__ volatile("xor %%eax, %%eax; movb (%%rax), %%al" ::: "rax", "memory");
  if (strcmp(kind, "dies") == 0) __asm__ volatile("ud2");
  atomic_store(&is_there, 1);
  for (;;) call(SYS_pause, 0, 0, 0, 0);
}

static void *pointer_of(const char *name) {
  if (strcmp(name, "null") == 0) return NULL;
  if (strcmp(name, "hole") == 0) return mmap(NULL, 1 << 16, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  void **own = (void **)(block + 4096);
  if (strcmp(name, "alike") == 0) own[0] = own[2] = own;
  return own;
}

int main(int count, char **arguments) {
  if (count < 3) return 64;
  kind = arguments[1];
  sigaction(SIGUSR1, &(struct sigaction){.sa_handler = handle}, NULL);
  if (strcmp(kind, "repair") == 0)
    sigaction(SIGSEGV, &(struct sigaction){.sa_sigaction = repair, .sa_flags = SA_SIGINFO}, NULL);
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, NULL);
  int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD | CLONE_SYSVSEM;
  int thread = clone(foreign, stack + sizeof stack, flags, pointer_of(arguments[2]));
  while (!atomic_load(&is_there)) usleep(1000);
  if (strcmp(kind, "beside") == 0) {
    sigprocmask(SIG_UNBLOCK, &all, NULL);
    *(volatile int *)8 = 1;
  }
  // Only that thread takes them.
  if (strcmp(kind, "asked") == 0) syscall(SYS_tgkill, getpid(), thread, SIGQUIT);
  syscall(SYS_tgkill, getpid(), thread, SIGUSR1);
  while (!atomic_load(&handled)) usleep(1000);
  printf("repaired: %d, handled: %d\n", repaired, handled);
  fflush(stdout);
  _exit(0);
}
