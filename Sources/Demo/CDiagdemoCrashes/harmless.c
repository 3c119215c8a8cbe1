#include "hostile_crashes.h"
#include "hostile_threads.h"
#include "never_inlined.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

enum { PAGE_BYTES = 65536 };  // the largest page there is

static volatile sig_atomic_t handled;
static volatile char *page;
static sigjmp_buf way_out;

static void count(int signal_number) {
  (void)signal_number;
  handled = handled + 1;
}

static bool handle(int signal_number, void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};
  sigemptyset(&action.sa_mask);
  handled = 0;
  return had(sigaction(signal_number, &action, NULL) == 0, "sigaction");
}

static bool closed_page(void) {
  void *memory = mmap(NULL, PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  page = memory;
  return had(memory != MAP_FAILED, "mmap");
}

bool handle_sigterm(void) {
  struct sigaction action = {.sa_handler = count};
  return had(sigaction(SIGTERM, &action, NULL) == 0 && raise(SIGTERM) == 0, "SIGTERM") && handled == 1;
}

bool ignore_sigpipe(void) {
  int ends[2];
  signal(SIGPIPE, SIG_IGN);
  if (!had(pipe(ends) == 0, "pipe")) return false;
  close(ends[0]);
  bool broken = write(ends[1], "", 1) < 0 && errno == EPIPE;
  close(ends[1]);
  return broken;
}

static void open_page(int signal_number, siginfo_t *info, void *context) {
  (void)context;
  count(signal_number);
  if (info->si_addr != (void *)page || mprotect((void *)page, PAGE_BYTES, PROT_READ | PROT_WRITE) != 0) _exit(90);
}

bool repair_by_protection(int times) {
  if (!closed_page() || !handle(SIGSEGV, open_page)) return false;
  for (int i = 0; i < times; i++) {
    *page = 1;
    if (mprotect((void *)page, PAGE_BYTES, PROT_NONE) != 0) return false;
  }
  return handled == times;
}

static void jump_out(int signal_number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  count(signal_number);
  siglongjmp(way_out, 1);
}

bool repair_by_jump(int times) {
  if (!closed_page() || !handle(SIGSEGV, jump_out)) return false;
  for (volatile int i = 0; i < times; i++)
    if (sigsetjmp(way_out, 1) == 0) *page = 1;
  return handled == times;
}

// The access and the label behind it stand in assembly, where nothing comes between them.
#if defined(__x86_64__)
#define PROGRAM_COUNTER(context) (context)->uc_mcontext.gregs[REG_RIP]
#define TOUCH "movb (%0), %%al\n"
#define CLOBBERED "rax"
#elif defined(__aarch64__)
#define PROGRAM_COUNTER(context) (context)->uc_mcontext.pc
#define TOUCH "ldrb w9, [%0]\n"
#define CLOBBERED "x9"
#endif

extern const char diagdemo_behind_the_access[];

static void advance(int signal_number, siginfo_t *info, void *context) {
  (void)info;
  count(signal_number);
  PROGRAM_COUNTER((ucontext_t *)context) = (greg_t)diagdemo_behind_the_access;
}

TRIGGER static void touch(volatile char *address) {
  __asm__ volatile(TOUCH ".globl diagdemo_behind_the_access\ndiagdemo_behind_the_access:\n"
                   :
                   : "r"(address)
                   : CLOBBERED, "memory");
}

bool repair_by_advancing(int times) {
  if (!closed_page() || !handle(SIGSEGV, advance)) return false;
  for (int i = 0; i < times; i++) touch(page);
  return handled == times;
}

static void *wait_there(void *argument) {
  for (;;) pause();
  return argument;
}

bool run_children(int times) {
  if (!start_thread(wait_there, NULL)) return false;
  for (int i = 0; i < times; i++) {
    pid_t child = fork();
    int status = -1;
    if (child == 0) {
      execl("/bin/true", "true", (char *)NULL);
      _exit(1);
    }
    if (!had(child > 0 && waitpid(child, &status, 0) == child, "fork") || status != 0) return false;
  }
  return true;
}
