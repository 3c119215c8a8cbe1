// Starts another program with a larger AT_MINSIGSTKSZ than the kernel gave it: a machine whose registers take more
// room, for what is computed from the size. The kernel's own frames stay as large as this machine's.
#include <elf.h>
#include <errno.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>

#include "probe.h"

static uintptr_t stack_pointer_of(pid_t process) {
  struct user_regs_struct registers;
  struct iovec all = {&registers, sizeof registers};
  CHECK(ptrace(PTRACE_GETREGSET, process, NT_PRSTATUS, &all) == 0);
#if defined(__x86_64__)
  return registers.rsp;
#else
  return registers.sp;
#endif
}

static long word_at(pid_t process, uintptr_t address) {
  errno = 0;
  long word = ptrace(PTRACE_PEEKDATA, process, address, 0);
  CHECK(errno == 0);
  return word;
}

// At its first instruction: the count, the arguments, the environment, each list ended by 0, then the pairs.
static void rewrite(pid_t process, long value) {
  uintptr_t at = stack_pointer_of(process) + sizeof(long);
  for (int list = 0; list < 2; at += sizeof(long))
    if (word_at(process, at) == 0) ++list;
  while (word_at(process, at) != AT_MINSIGSTKSZ) {
    CHECK(word_at(process, at) != AT_NULL);
    at += 2 * sizeof(long);
  }
  CHECK(word_at(process, at + sizeof(long)) <= value);
  CHECK(ptrace(PTRACE_POKEDATA, process, at + sizeof(long), value) == 0);
}

// with-minsigstksz SIZE PROGRAM ARGUMENT…
static int with_minsigstksz(void) {
  CHECK(probe_arguments[2] && probe_arguments[3]);
  pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0) {
    CHECK(ptrace(PTRACE_TRACEME, 0, 0, 0) == 0);
    execv(probe_arguments[3], probe_arguments + 3);
    _exit(127);
  }
  int status;
  CHECK(waitpid(process, &status, 0) == process && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP);
  rewrite(process, atol(probe_arguments[2]));
  CHECK(ptrace(PTRACE_DETACH, process, 0, 0) == 0);
  CHECK(waitpid(process, &status, 0) == process);
  if (WIFEXITED(status)) return WEXITSTATUS(status);
  signal(WTERMSIG(status), SIG_DFL);
  raise(WTERMSIG(status));
  return 1;
}

static int say_minsigstksz(void) {
  say("%lu\n", getauxval(AT_MINSIGSTKSZ));
  return 7;
}

const probe launcher_probes[] = {
    {"with-minsigstksz", with_minsigstksz},
    {"say-minsigstksz", say_minsigstksz},
    {NULL, NULL},
};
