// Handlers that run off their alternate stack, which the kernel then gives to the next one from its top.
#include <setjmp.h>
#include <stdint.h>
#include <sys/mman.h>

#include "probe.h"

#define ALTERNATE_BYTES (64 * 1024)
#define ROUNDS 20

static sigjmp_buf place;
static volatile int depth, faults;

__attribute__((noinline)) static int recurse(volatile char *above) {
  volatile char bytes[512];
  bytes[0] = above[0];
  depth = depth + 1;
  if (depth < 0) return 0;
  return recurse(bytes) + bytes[0];
}

static void run_off(int signal, siginfo_t *info, void *context) {
  volatile char first = 1;
  (void)signal;
  (void)info;
  (void)context;
  recurse(&first);
}

static void jump_out(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  faults = faults + 1;
  siglongjmp(place, 1);
}

static void set_alternate(void) {
  size_t guard = (size_t)sysconf(_SC_PAGESIZE);
  char *memory = mmap(NULL, guard + ALTERNATE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(memory != MAP_FAILED && mprotect(memory, guard, PROT_NONE) == 0);
  stack_t alternate = {.ss_sp = memory + guard, .ss_size = ALTERNATE_BYTES};
  CHECK(sigaltstack(&alternate, NULL) == 0);
}

static int jump_out_of_overflow(int flags) {
  struct sigaction first = action_of(run_off, SA_ONSTACK), saving = action_of(jump_out, SA_ONSTACK | flags);
  set_alternate();
  install_around(SIGSEGV, &saving);
  CHECK(sigaction(SIGUSR1, &first, NULL) == 0);
  for (volatile int i = 0; i < ROUNDS; ++i)
    if (sigsetjmp(place, 1) == 0) raise(SIGUSR1);
  say("%d faults, all done\n", faults);
  return 7;
}

static int overflow_saved(void) { return jump_out_of_overflow(0); }
static int overflow_saved_nodefer(void) { return jump_out_of_overflow(SA_NODEFER); }

// Without CrashKit this goes on for ever.
static int overflow_again_and_again(void) {
  struct sigaction action = action_of(run_off, SA_ONSTACK | SA_NODEFER);
  set_alternate();
  install_around(SIGSEGV, &action);
  raise(SIGSEGV);
  return 7;
}

const probe restart_probes[] = {
    {"overflow-saved", overflow_saved},
    {"overflow-saved-nodefer", overflow_saved_nodefer},
    {"overflow-again-and-again", overflow_again_and_again},
    {NULL, NULL},
};
