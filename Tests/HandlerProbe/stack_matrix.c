// Alternate stacks of every size, and handlers that end on them in every way: each once as the kernel alone would have
// it, once with CrashKit. Both must end alike, within a second.
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "probe.h"

#define PROCESSOR_LIMIT_S 1
#define WAIT_LIMIT_MS 5000
#define BELOW_BYTES (64 * 1024)
#define LARGEST (64 * 1024)

// --- What a handler does ---------------------------------------------------------------------------------------------

static char *page;
static sigjmp_buf way_out;

static void crash_again(void) { store(page + 8); }
static void set_default(void) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(SIGSEGV, &action, NULL);
}
static void set_default_and_raise(void) {
  set_default();
  raise(SIGSEGV);
}
static void exit_three(void) { exit(3); }
static void exit_at_once(void) { _exit(3); }
static void mend(void) { open_page(page); }
static void jump(void) { siglongjmp(way_out, 1); }
__attribute__((noinline)) static int deeper(volatile char *outer) {
  volatile char here[512];
  here[0] = outer[0];
  return here[0] > 1 ? 0 : deeper(here) + here[1];
}
static void overflow(void) {
  volatile char start[1] = {0};
  deeper(start);
}

// `reports`: whether the death is one, by CrashKit's rules.
static const struct ending {
  const char *name;
  void (*how)(void);
  bool reports;
} endings[] = {
    {"crash", crash_again, true},
    {"raise", set_default_and_raise, true},
    {"return", set_default, true},
    {"exit", exit_three, true},
    {"exit-now", exit_at_once, true},
    {"overflow", overflow, true},
    {"mend", mend, false},
    {"jump", jump, false},
};
#define ENDINGS (sizeof endings / sizeof *endings)

static const struct ending *ending;
static void on_fault(int signal, siginfo_t *info, void *context) {
  (void)signal;
  (void)info;
  (void)context;
  ending->how();
}

// --- One death -------------------------------------------------------------------------------------------------------

static struct {
  size_t size;
  bool guard, thread, linked, before, nodefer;
} now;
// Shared with the parent, who sees what was overwritten.
static unsigned char *space;

static void *fault(void *argument) {
  // Its lowest byte next to what must stay as it is.
  stack_t stack = {.ss_sp = space + BELOW_BYTES, .ss_size = now.size};
  // By the system call itself, past CrashKit, if that is asked for.
  CHECK((getenv("PROBE_RAW") ? (int)syscall(SYS_sigaltstack, &stack, NULL) : sigaltstack(&stack, NULL)) == 0);
  if (sigsetjmp(way_out, 1) == 0) store(page);
  // A second one finds everything as the first did.
  close_page(page);
  if (sigsetjmp(way_out, 1) == 0) store(page);
  return argument;
}

static int child(void) {
  page = protected_page();
  // Without a guard other memory lies below, and a guard below that: what runs on for ever ends there.
  CHECK(mprotect(space, now.guard ? BELOW_BYTES : 4096, PROT_NONE) == 0);
  struct sigaction action = action_of(on_fault, SA_ONSTACK | (now.nodefer ? SA_NODEFER : 0));
  if (now.before) CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  if (now.linked && !getenv("PROBE_PRELOAD")) install_crashkit();
  if (!now.before) CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  if (!now.thread) return fault((void *)7) == (void *)7 ? 7 : 8;
  pthread_t thread;
  void *result;
  CHECK(pthread_create(&thread, NULL, fault, (void *)7) == 0 && pthread_join(thread, &result) == 0);
  return (int)(uintptr_t)result;
}

typedef struct outcome {
  int status;  // -1: it did not end in time
  int reports;
  size_t below;  // bytes below the stack that are not what they were
} outcome;

// The same row in a program that only has CrashKit preloaded: it is given its row by words, and the memory by its file.
static int memory_file = -1;
static void become_preloaded(const char *library) {
  char size[32], bits[32], index[32], file[32];
  snprintf(size, sizeof size, "%zu", now.size);
  snprintf(bits, sizeof bits, "%d", now.guard | now.thread << 1 | now.nodefer << 2);
  snprintf(index, sizeof index, "%d", (int)(ending - endings));
  snprintf(file, sizeof file, "%d", memory_file);
  setenv("LD_PRELOAD", library, 1);
  execl("/proc/self/exe", "handler-probe", "stack-matrix-row", size, bits, index, file, NULL);
  _exit(97);
}
static int stack_matrix_row(void) {
  now.size = (size_t)atol(probe_arguments[2]);
  int bits = atoi(probe_arguments[3]);
  now.guard = bits & 1, now.thread = bits & 2, now.nodefer = bits & 4;
  now.before = bits & 8, now.linked = !getenv("LD_PRELOAD");
  ending = endings + atoi(probe_arguments[4]);
  memory_file = atoi(probe_arguments[5]);
  space = mmap(NULL, BELOW_BYTES + LARGEST, PROT_READ | PROT_WRITE, MAP_SHARED, memory_file, 0);
  CHECK(space != MAP_FAILED);
  return child();
}

static int reports_of(pid_t process) {
  const char *path = getenv("CRASHKIT_DIRECTORY");
  char middle[32];
  snprintf(middle, sizeof middle, "-%d-crashReport.json", (int)process);
  DIR *directory = opendir(path);
  int count = 0;
  for (struct dirent *entry; directory && (entry = readdir(directory));) {
    if (entry->d_name[0] == '.') continue;
    const char *found = strstr(entry->d_name, middle);
    count += found && found[strlen(middle)] == 0;
    unlinkat(dirfd(directory), entry->d_name, 0);
  }
  if (directory) closedir(directory);
  return count;
}

// In time by the processor, which ends what spins for ever, and by the clock, for what waits.
static bool ends_in_time(pid_t process, int *status) {
  struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, process, 0), .events = POLLIN};
  CHECK(end.fd >= 0);
  bool in_time = poll(&end, 1, WAIT_LIMIT_MS) == 1;
  if (!in_time) kill(process, SIGKILL);
  CHECK(waitpid(process, status, 0) == process);
  close(end.fd);
  return in_time && !(WIFSIGNALED(*status) && WTERMSIG(*status) == SIGXCPU);
}

static outcome run(bool linked) {
  now.linked = linked;
  memset(space, 0xa5, BELOW_BYTES + LARGEST);
  pid_t process = fork();
  CHECK(process >= 0);
  if (process == 0) {
    struct rlimit processor = {.rlim_cur = PROCESSOR_LIMIT_S, .rlim_max = PROCESSOR_LIMIT_S + 1};
    CHECK(setrlimit(RLIMIT_CPU, &processor) == 0);
    const char *library = getenv("PROBE_PRELOAD");
    if (linked && library) become_preloaded(library);
    exit(child());
  }
  outcome result = {.status = -1};
  int status;
  if (ends_in_time(process, &status)) result.status = status & ~0x80;  // with or without a core
  for (size_t i = 0; i < BELOW_BYTES; ++i) result.below += space[i] != 0xa5;
  if (linked) result.reports = reports_of(process);
  return result;
}

// Interposed functions need some room more than libc's: at a size at which a handler just fits, or just does not, it
// ends as it would on a stack that is larger or smaller by so much.
#define SLACK_BYTES 512

static bool ends_so_nearby(int status) {
  size_t size = now.size;
  bool same = false;
  for (int i = -1; i <= 1 && !same; i += 2) {
    now.size = size + (size_t)(i * SLACK_BYTES);
    bool fits = now.size >= getauxval(AT_MINSIGSTKSZ) && now.size >= 2048 && now.size <= LARGEST;
    same = fits && run(false).status == status;
  }
  now.size = size;
  return same;
}

static int rows, failures, endless, nearby;

static void compare(void) {
  outcome without = run(false), with = run(true);
  ++rows;
  endless += without.status == -1;
  // The kernel begins some handlers over and over again; with CrashKit they end.
  int expected = without.status == -1 && with.status != -1 ? with.status : without.status;
  if (with.status != expected && with.status != -1 && ends_so_nearby(with.status)) {
    ++nearby;
    expected = with.status;
  }
  bool reported = WIFSIGNALED(expected) || ending->reports;
  // What runs off a stack without a guard writes over all that lies below.
  bool spares = ending->how == overflow || with.below <= without.below + SLACK_BYTES;
  if (with.status != -1 && with.status == expected && with.reports == reported && spares) return;
  ++failures;
  say("%zu bytes, %s, %s, %s%s%s: status %x and %x, %d reports, %zu and %zu bytes below\n", now.size,
      now.guard ? "guard" : "no guard", now.thread ? "thread" : "main", ending->name, now.nodefer ? ", nodefer" : "",
      now.before ? ", before" : "", without.status, with.status, with.reports, without.below, with.below);
}

#define SMALL (8 * 1024)
#define SMALL_STEP 512

static void compare_all_of_size(void) {
  for (ending = endings; ending < endings + ENDINGS; ++ending)
    for (int bits = 0; bits < 8; ++bits) {
      now.guard = bits & 1, now.thread = bits & 2, now.nodefer = bits & 4;
      // Endless without CrashKit on every stack.
      if (now.nodefer && (ending->how == overflow || ending->how == crash_again)) continue;
      compare();
    }
}

static int stack_matrix(void) {
  size_t step = number_from_environment("PROBE_STEP"), least = getauxval(AT_MINSIGSTKSZ);
  if (least < 2048) least = 2048;
  // CrashKit's handler begins there, and needs a few hundred bytes.
  if (getenv("PROBE_RAW")) least += SMALL_STEP;
  setenv("CRASHKIT_OPTIONS", "summary=no", 1);
  memory_file = memfd_create("stacks", 0);
  CHECK(memory_file >= 0 && ftruncate(memory_file, BELOW_BYTES + LARGEST) == 0);
  space = mmap(NULL, BELOW_BYTES + LARGEST, PROT_READ | PROT_WRITE, MAP_SHARED, memory_file, 0);
  CHECK(space != MAP_FAILED);
  for (now.size = least; now.size <= LARGEST; now.size += now.size < least + SMALL ? SMALL_STEP : step) {
    // One size alone, where somebody looks for the cause of a difference.
    const char *only = getenv("PROBE_SIZE");
    if (!only || now.size == (size_t)atol(only)) compare_all_of_size();
    now.before = !now.before;
  }
  say("%d rows, %d differ, %d are endless without, %d end as on a stack of nearly the size\n", rows, failures, endless,
      nearby);
  return failures == 0 ? 7 : 1;
}

const probe matrix_probes[] = {
    {"stack-matrix", stack_matrix},
    {"stack-matrix-row", stack_matrix_row},
    {NULL, NULL},
};
