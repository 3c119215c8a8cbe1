// Memory that another process or thread is to fill and does not (userfaultfd(2)), and calls that wait for another
// process: only a signal that kills ends such a wait.
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <linux/userfaultfd.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "probe.h"

/// The exit status of a probe that this kernel, or this user's rights, leave no way to run.
#define IMPOSSIBLE 77

#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static pthread_barrier_t all_there;

static void *wait_there(void *argument) {
  pthread_barrier_wait(&all_there);
  for (;;) pause();
  return argument;
}

static void start_bystander(void) {
  pthread_t thread;
  pthread_barrier_init(&all_there, NULL, 2);
  CHECK(pthread_create(&thread, NULL, wait_there, NULL) == 0);
  pthread_barrier_wait(&all_there);
}

// --- Memory -----------------------------------------------------------------------------------------------------

// Two pages: the first one is there, the second one has to be filled.
static int make_unserved(char **pages) {
  int faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
  if (faults < 0) _exit(IMPOSSIBLE);
  struct uffdio_api api = {.api = UFFD_API};
  CHECK(ioctl(faults, UFFDIO_API, &api) == 0);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  *pages = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(*pages != MAP_FAILED);
  (*pages)[0] = 1;
  struct uffdio_register range = {.range = {(uintptr_t)*pages, 2 * page}, .mode = UFFDIO_REGISTER_MODE_MISSING};
  CHECK(ioctl(faults, UFFDIO_REGISTER, &range) == 0);
  return faults;
}

// The crashed thread has the address in a register.
__attribute__((noinline)) static int crash_with(char *unserved) {
#if defined(__x86_64__)
  __asm__ volatile("movb $1, (%0)" : : "r"((char *)8), "D"(unserved), "S"(unserved) : "memory");
#else
  register char *first __asm__("x0") = unserved;
  __asm__ volatile("strb wzr, [%0]" : : "r"((char *)8), "r"(first) : "memory");
#endif
  return 7;
}

static int unserved_page(void) {
  install_crashkit();
  char *pages;
  make_unserved(&pages);
  return crash_with(pages + sysconf(_SC_PAGESIZE));
}

// Another process holds the descriptor, as one does that fills the memory of a virtual machine.
static int unserved_elsewhere(void) {
  install_crashkit();
  start_bystander();
  char *pages;
  int faults = make_unserved(&pages);
  pid_t self = getpid();
  if (fork() == 0) {
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    while (getppid() == self) pause();
    _exit(0);
  }
  close(faults);
  return crash_with(pages + sysconf(_SC_PAGESIZE));
}

// --- Calls ------------------------------------------------------------------------------------------------------

// A call that the kernel has handed to another process waits for that one's answer, and no handler breaks it off.
static int unanswered_call(void) {
  install_crashkit();
  start_bystander();
  pid_t self = getpid();
  int ready[2];
  CHECK(pipe(ready) == 0);
  CHECK(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  int listener = filter_call(SECCOMP_FILTER_FLAG_NEW_LISTENER | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV,
                             call_from_environment(), SECCOMP_RET_USER_NOTIF);
  if (fork() == 0) {
    CHECK(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    CHECK(write(ready[1], "", 1) == 1);
    while (getppid() == self) {
      struct seccomp_notif notice = {0};
      ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, &notice);
    }
    _exit(0);
  }
  char byte;
  CHECK(read(ready[0], &byte, 1) == 1);
  store((char *)8);
  return 7;
}

const probe unserved_probes[] = {
    {"unserved-page", unserved_page},
    {"unserved-elsewhere", unserved_elsewhere},
    {"unanswered-call", unanswered_call},
    {NULL, NULL},
};
