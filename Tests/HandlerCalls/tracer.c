// Runs a program and writes down what its threads do between the entry of a given signal handler and its return or the
// thread's death: system calls, and the calls that the counting library notes.
//
// tracer LOG [--begin=capture] IMAGE OFFSET[,OFFSET…] -- PROGRAM ARGUMENT…
//
// LOG is the file that the counting library maps. IMAGE is the path of the executable or library whose handlers begin
// at the offsets. With --begin=capture what a handler does before its first timer_create, the start of its time limit,
// does not count: the program's own handlers run there. Lines on standard output, words separated by spaces:
//   image START END OFFSET PATH           code, as it is mapped when the first handler begins
//   handler THREAD SIGNAL OFFSET          a handler begins; from here on the thread is watched
//   syscall THREAD NUMBER ARGUMENT…       it asks the kernel for something
//   bound THREAD TEXT                     the loader tells, by LD_DEBUG, what it binds
//   return THREAD                         the handler returns
//   call THREAD FUNCTION CALLER           what the counting library noted; at the end
//   outside COUNT                         how many calls it saw before any handler
//   end STATUS                            the program's wait status; the last line

#define _GNU_SOURCE 1
#include "call_log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include <linux/ptrace.h>

#define NESTED_MAX 16
#define HANDLERS_MAX 16

struct thread {
  int id;
  int delivering;  // the signal whose handler's first instruction comes next
  int depth;
  bool counted;
  int timer_settings;
  uint64_t stack[NESTED_MAX];  // the stack pointer at each handler's entry
};

static struct thread threads[CALL_LOG_THREADS];
static struct call_log *call_log;
static const char *image;
static uint64_t handlers[HANDLERS_MAX];
static int handler_count;
static bool begins_with_capture;

static void fail(const char *what) {
  perror(what);
  exit(70);
}

static struct thread *thread_with(int id) {
  for (int i = 0; i < CALL_LOG_THREADS; ++i) {
    if (threads[i].id == 0) threads[i].id = id;
    if (threads[i].id == id) return &threads[i];
  }
  errno = ENOMEM;
  fail("threads");
  return NULL;
}

static void count_calls(struct thread *thread, bool counted) {
  if (thread->counted == counted) return;
  thread->counted = counted;
  uint32_t index = (uint32_t)(thread - threads);
  atomic_store(&call_log->inside[index], counted ? thread->id : 0);
  if (counted && atomic_load(&call_log->inside_end) <= index) atomic_store(&call_log->inside_end, index + 1);
}

// --- Where a handler begins and ends ----------------------------------------------------------------------------

static uint64_t image_base(int id) {
  static bool told;
  char path[64], line[4200], rights[8], name[4096];
  snprintf(path, sizeof path, "/proc/%d/maps", id);
  FILE *maps = fopen(path, "re");
  if (!maps) return 0;
  uint64_t base = 0, start, end, offset;
  while (fgets(line, sizeof line, maps)) {
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %" SCNx64 " %*s %*s %4095[^\n]", &start, &end, rights, &offset, name)
        != 5)
      continue;
    if (!told && rights[2] == 'x')
      printf("image 0x%" PRIx64 " 0x%" PRIx64 " 0x%" PRIx64 " %s\n", start, end, offset, name);
    if (base == 0 && strcmp(name, image) == 0) base = start;
  }
  told = true;
  fclose(maps);
  return base;
}

static bool catches(int id, int signal) {
  char path[64], line[256];
  snprintf(path, sizeof path, "/proc/%d/status", id);
  FILE *status = fopen(path, "re");
  uint64_t caught = 0;
  if (!status) return false;
  while (fgets(line, sizeof line, status))
    if (sscanf(line, "SigCgt: %" SCNx64, &caught) == 1) break;
  fclose(status);
  return caught >> (signal - 1) & 1;
}

static void handler_begins(struct thread *thread) {
  struct ptrace_syscall_info at;
  if (ptrace(PTRACE_GET_SYSCALL_INFO, thread->id, sizeof at, &at) < 0) return;
  uint64_t offset = at.instruction_pointer - image_base(thread->id);
  for (int i = 0; i < handler_count; ++i) {
    if (handlers[i] != offset) continue;
    printf("handler %d %d 0x%" PRIx64 "\n", thread->id, thread->delivering, offset);
    if (thread->depth < NESTED_MAX) thread->stack[thread->depth++] = at.stack_pointer;
    if (!begins_with_capture) count_calls(thread, true);
  }
}

// The return address has been taken from the stack by now, where there was one.
static void handler_returns(struct thread *thread, uint64_t stack) {
  for (int i = thread->depth; i-- > 0;) {
    if (stack - thread->stack[i] > 16) continue;
    thread->depth = i;
    printf("return %d\n", thread->id);
    if (i == 0) count_calls(thread, false);
    return;
  }
}

// --- What it does meanwhile -------------------------------------------------------------------------------------

static void tell_what_is_bound(struct thread *thread, uint64_t vectors, uint64_t count) {
  struct iovec vector, local, remote;
  char text[4096];
  size_t size = 0;
  for (uint64_t i = 0; i < count && i < 64; ++i) {
    local = (struct iovec){&vector, sizeof vector};
    remote = (struct iovec){(void *)(uintptr_t)(vectors + i * sizeof vector), sizeof vector};
    if (process_vm_readv(thread->id, &local, 1, &remote, 1, 0) != sizeof vector) break;
    size_t length = vector.iov_len < sizeof text - 1 - size ? vector.iov_len : sizeof text - 1 - size;
    local = (struct iovec){text + size, length};
    remote = (struct iovec){vector.iov_base, length};
    ssize_t got = process_vm_readv(thread->id, &local, 1, &remote, 1, 0);
    if (got > 0) size += (size_t)got;
  }
  for (size_t i = 0; i < size; ++i)
    if (text[i] == '\n') text[i] = ' ';
  text[size] = 0;
  if (strstr(text, "binding file")) printf("bound %d %s\n", thread->id, text);
}

static void system_call(struct thread *thread) {
  struct ptrace_syscall_info call;
  if (thread->depth == 0 || ptrace(PTRACE_GET_SYSCALL_INFO, thread->id, sizeof call, &call) < 0) return;
  if (call.op != PTRACE_SYSCALL_INFO_ENTRY && call.op != PTRACE_SYSCALL_INFO_SECCOMP) return;
  if (call.entry.nr == SYS_rt_sigreturn) return handler_returns(thread, call.stack_pointer);
  if (call.entry.nr == SYS_timer_create) count_calls(thread, true);
  // The report is made: the limit ends where the program goes on to exit by itself, and is set anew for the Swift
  // runtime's backtracer.
  bool again = call.entry.nr == SYS_timer_settime && ++thread->timer_settings > 1;
  if (again || call.entry.nr == SYS_timer_delete) count_calls(thread, false);
  if (!thread->counted) return;
  printf("syscall %d %" PRIu64, thread->id, (uint64_t)call.entry.nr);
  for (int i = 0; i < 6; ++i) printf(" 0x%" PRIx64, (uint64_t)call.entry.args[i]);
  printf("\n");
  if (call.entry.nr == SYS_writev) tell_what_is_bound(thread, call.entry.args[1], call.entry.args[2]);
}

// --- The trace --------------------------------------------------------------------------------------------------

static void go_on(int id, enum __ptrace_request how, int signal) {
  if (ptrace(how, id, 0, (void *)(intptr_t)signal) < 0 && errno != ESRCH) fail("ptrace");
}

// What a thread asks the kernel for matters in a handler only.
static enum __ptrace_request usual(const struct thread *thread) {
  return thread->depth > 0 ? PTRACE_SYSCALL : PTRACE_CONT;
}

static void stopped(int id, int status) {
  struct thread *thread = thread_with(id);
  int event = status >> 16, signal = WSTOPSIG(status);
  if (event == PTRACE_EVENT_STOP) {
    bool group = signal == SIGSTOP || signal == SIGTSTP || signal == SIGTTIN || signal == SIGTTOU;
    return go_on(id, group ? PTRACE_LISTEN : usual(thread), 0);
  }
  if (event == PTRACE_EVENT_EXEC) {
    thread->depth = 0;
    count_calls(thread, false);
  }
  if (event != 0) return go_on(id, usual(thread), 0);
  if (signal == (SIGTRAP | 0x80)) {
    system_call(thread);
    return go_on(id, usual(thread), 0);
  }
  siginfo_t info = {0};
  ptrace(PTRACE_GETSIGINFO, id, 0, &info);
  if (thread->delivering != 0 && signal == SIGTRAP && (info.si_code == SIGTRAP || info.si_code == TRAP_TRACE)) {
    // The kernel has made the handler's frame, or found another action by now and run one instruction.
    if (info.si_code == SIGTRAP) handler_begins(thread);
    thread->delivering = 0;
    return go_on(id, usual(thread), 0);
  }
  bool caught = catches(id, signal);
  thread->delivering = caught ? signal : 0;
  go_on(id, caught ? PTRACE_SINGLESTEP : usual(thread), signal);
}

static void ended(int id) {
  struct thread *thread = thread_with(id);
  count_calls(thread, false);
  // Its place stays taken while others lie behind it; an id of none is never asked for again.
  memset(thread, 0, sizeof *thread);
  thread->id = -1;
}

static int run(char **command) {
  int child = fork();
  if (child < 0) fail("fork");
  if (child == 0) {
    raise(SIGSTOP);
    // What it says is its own; ours is the account of it.
    int nowhere = open("/dev/null", O_WRONLY);
    dup2(nowhere, 1);
    close(nowhere);
    execv(command[0], command);
    fail(command[0]);
  }
  int status, result = -1;
  if (waitpid(child, &status, WUNTRACED) != child) fail("waitpid");
  long options = PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK
                 | PTRACE_O_TRACEEXEC | PTRACE_O_EXITKILL;
  if (ptrace(PTRACE_SEIZE, child, 0, options) < 0) fail("PTRACE_SEIZE");
  kill(child, SIGCONT);
  for (int id; (id = waitpid(-1, &status, __WALL)) > 0;) {
    if (WIFSTOPPED(status)) {
      stopped(id, status);
      continue;
    }
    ended(id);
    // What outlives the program does not count.
    if (id == child) {
      result = status;
      break;
    }
  }
  return result;
}

int main(int count, char **arguments) {
  int at = 1;
  const char *log = count > at ? arguments[at++] : "";
  if (count > at && strcmp(arguments[at], "--begin=capture") == 0) begins_with_capture = true, ++at;
  if (count < at + 4 || strcmp(arguments[at + 2], "--") != 0) return 64;
  image = arguments[at];
  for (char *next = arguments[at + 1]; *next && handler_count < HANDLERS_MAX; next += *next == ',')
    handlers[handler_count++] = strtoull(next, &next, 0);
  int file = open(log, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (file < 0 || fchmod(file, 0666) < 0 || ftruncate(file, sizeof *call_log) < 0) fail(log);
  call_log = mmap(NULL, sizeof *call_log, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (call_log == MAP_FAILED) fail(log);
  int status = run(arguments + at + 3);
  uint32_t calls = atomic_load(&call_log->count);
  for (uint32_t i = 0; i < calls && i < CALL_LOG_CALLS; ++i) {
    const struct call *call = &call_log->calls[i];
    printf("call %d %s 0x%" PRIx64 "\n", call->thread, call->function, call->caller);
  }
  printf("outside %u\nend %d\n", atomic_load(&call_log->outside), status);
  return 0;
}
