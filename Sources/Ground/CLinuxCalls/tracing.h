// Looks at another process by ptrace(2). Only the thread that seized another thread may make the other calls for it.
#ifndef CLINUXCALLS_TRACING_H
#define CLINUXCALLS_TRACING_H

#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

// What waitpid(2) says of a seized thread.
enum linux_traced { LINUX_TRACED_RUNS, LINUX_TRACED_STANDS, LINUX_TRACED_HAS_ENDED };

// Makes this thread another one's tracer, and does not stop that. Its process is not killed when this one ends. 0, or
// the errno.
static inline int linux_trace_seize(int thread) { return ptrace(PTRACE_SEIZE, thread, NULL, 0) == 0 ? 0 : errno; }

// Asks a seized thread to stop. 0, or the errno.
static inline int linux_trace_interrupt(int thread) {
  return ptrace(PTRACE_INTERRUPT, thread, NULL, NULL) == 0 ? 0 : errno;
}

// Whether a seized thread stands. `signal` becomes the signal that it is to go on with, or 0; `is_group_stop` whether a
// signal had stopped its whole process.
static inline enum linux_traced linux_trace_state(int thread, int *signal, int *is_group_stop) {
  int status = 0;
  pid_t found = waitpid(thread, &status, __WALL | WNOHANG);
  *signal = *is_group_stop = 0;
  if (found == 0 || (found < 0 && errno == EINTR)) return LINUX_TRACED_RUNS;
  if (found < 0 || !WIFSTOPPED(status)) return LINUX_TRACED_HAS_ENDED;
  if (status >> 16 == PTRACE_EVENT_STOP)
    *is_group_stop = WSTOPSIG(status) != SIGTRAP;
  else
    *signal = WSTOPSIG(status);
  return LINUX_TRACED_STANDS;
}

// The registers of a thread that stands, as core files have them. How many bytes there are, or -1.
static inline long linux_trace_registers(int thread, void *registers, unsigned long size) {
  struct iovec place = {registers, size};
  return ptrace(PTRACE_GETREGSET, thread, (void *)NT_PRSTATUS, &place) == 0 ? (long)place.iov_len : -1;
}

// The bits of code addresses that a signature may stand in, on a processor that signs them; 0 on others.
static inline unsigned long linux_trace_code_mask(int thread) {
#ifdef __aarch64__
  unsigned long masks[2] = {0};
  struct iovec place = {masks, sizeof masks};
  return ptrace(PTRACE_GETREGSET, thread, (void *)NT_ARM_PAC_MASK, &place) == 0 ? masks[1] : 0;
#else
  (void)thread;
  return 0;
#endif
}

// Makes a thread that stands issue its call again, which a stop has ended with EINTR, unless a handler runs first: then
// the call answers EINTR, as it would have. 0, or the errno.
static inline int linux_trace_restart(int thread) {
#ifdef __x86_64__
  // The kernel's own word for that, ERESTARTNOHAND.
  long result = ptrace(PTRACE_POKEUSER, thread, (void *)offsetof(struct user_regs_struct, rax), (void *)-514l);
  return result == 0 ? 0 : errno;
#else
  (void)thread;
  return ENOSYS;
#endif
}

// Lets a thread that stands go on, with a signal or 0. 0, or the errno.
static inline int linux_trace_detach(int thread, int signal) {
  return ptrace(PTRACE_DETACH, thread, NULL, (void *)(long)signal) == 0 ? 0 : errno;
}

// Copies memory of another process. How many bytes could be copied, or -1 with errno.
static inline long linux_copy_memory(int process, unsigned long address, void *to, unsigned long size) {
  struct iovec here = {to, size};
  unsigned long there[2] = {address, size};
  return syscall(SYS_process_vm_readv, process, &here, 1ul, there, 1ul, 0ul);
}

#endif
