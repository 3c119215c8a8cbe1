// Threads at known places: deep, asleep, busy, in the kernel under a function that needs its frame pointer.
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "probe.h"

static pthread_barrier_t barrier;
static atomic_bool going = true;
// Of those that sleep.
#define SLEEPERS 4
static pid_t sleepers[SLEEPERS];
static atomic_int sleeper_count;

__attribute__((noinline)) static long deep_sleeper(int depth) {
  volatile long here = depth;
  if (depth == 0) {
    sleepers[sleeper_count++ % SLEEPERS] = gettid();
    pthread_barrier_wait(&barrier);
    pause();
    return here;
  }
  return deep_sleeper(depth - 1) + here;
}
__attribute__((noinline)) static long deep_worker(int depth) {
  volatile long here = depth;
  if (depth > 0) return deep_worker(depth - 1) + here;
  pthread_barrier_wait(&barrier);
  while (going) ++here;
  return here;
}
#if defined(__x86_64__)
// Sets up a frame pointer behind a way out that needs none, and waits in a system call of its own.
__attribute__((naked, noinline)) static void wait_behind_late_prologue(long waits) {
  __asm__ volatile(
      "testq %rdi, %rdi\n"
      "je 1f\n"
      "pushq %rbp\n"
      ".cfi_def_cfa_offset 16\n"
      ".cfi_offset rbp, -16\n"
      "movq %rsp, %rbp\n"
      ".cfi_def_cfa_register rbp\n"
      "movl $34, %eax\n"  // pause
      "syscall\n"
      "popq %rbp\n"
      ".cfi_def_cfa rsp, 8\n"
      "1: ret\n");
}
// Has neither unwind information nor a frame pointer, as functions of libswiftDispatch. It begins with a jump, as a
// function does that the compiler merged with an equal one.
void wait_without_frame(void);
__asm__(
    ".text\n"
    ".type wait_without_frame, @function\n"
    "wait_without_frame:\n"
    ".byte 0xe9, 3, 0, 0, 0\n"  // jmp over three bytes
    ".byte 0xcc, 0xcc, 0xcc\n"
    "pushq %rcx\n"
    "movl $34, %eax\n"  // pause
    "syscall\n"
    "testq %rax, %rax\n"
    "setne %al\n"
    "popq %rcx\n"
    "ret\n"
    ".size wait_without_frame, . - wait_without_frame\n");
#elif defined(__aarch64__)
__attribute__((naked, noinline)) static void wait_behind_late_prologue(long waits) {
  __asm__ volatile(
      "cbz x0, 1f\n"
      ".rept 16\n"
      "nop\n"
      ".endr\n"
      "stp x29, x30, [sp, #-16]!\n"
      ".cfi_def_cfa_offset 16\n"
      ".cfi_offset x29, -16\n"
      ".cfi_offset x30, -8\n"
      "mov x29, sp\n"
      ".cfi_def_cfa x29, 16\n"
      "mov x0, #0\n"
      "mov x1, #0\n"
      "mov x2, #0\n"
      "mov x3, #0\n"
      "mov x8, #73\n"  // ppoll, of nothing and without end
      "svc #0\n"
      "ldp x29, x30, [sp], #16\n"
      ".cfi_def_cfa sp, 0\n"
      "1: ret\n");
}
// Functions of that kind have a frame here.
static void wait_without_frame(void) { wait_behind_late_prologue(1); }
#endif
// Behind a call of its own, so that a caller's frame pointer leads past it.
__attribute__((noinline)) static void call_without_frame(void) {
  wait_without_frame();
  __asm__ volatile("");
}
static void *wait_frameless(void *unused) {
  sleepers[sleeper_count++ % SLEEPERS] = gettid();
  pthread_barrier_wait(&barrier);
  call_without_frame();
  return unused;
}
static void *wait_late(void *unused) {
  sleepers[sleeper_count++ % SLEEPERS] = gettid();
  pthread_barrier_wait(&barrier);
  wait_behind_late_prologue(1);
  return unused;
}
static void *sleep_deep(void *depth) { return (void *)deep_sleeper((int)(intptr_t)depth); }
static void *work_deep(void *depth) { return (void *)deep_worker((int)(intptr_t)depth); }

int print(const char *message) {
  ck_live_result result;
  ck_capture(message, strlen(message), &result);
  printf("%d %s\n", result.error, result.path);
  return result.error != 0;
}

// Waits until a thread that comes from the barrier, which is a futex, is in its next system call.
static void await_sleep(pid_t thread) {
  char path[64], call[32];
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall", thread);
  do {
    FILE *file = fopen(path, "re");
    if (file == NULL || fgets(call, sizeof call, file) == NULL) exit(71);
    fclose(file);
  } while (strncmp(call, "running", 7) == 0 || atoi(call) == SYS_futex);
}

int stacks(void) {
  pthread_t thread;
  pthread_barrier_init(&barrier, NULL, 7);
  pthread_create(&thread, NULL, wait_late, NULL);
  pthread_setname_np(thread, "late prologue");
  pthread_create(&thread, NULL, wait_frameless, NULL);
  pthread_setname_np(thread, "frameless");
  pthread_create(&thread, NULL, sleep_deep, (void *)30);
  pthread_setname_np(thread, "sleeper");
  pthread_create(&thread, NULL, work_deep, (void *)30);
  pthread_setname_np(thread, "worker");
  pthread_create(&thread, NULL, sleep_deep, (void *)20000);
  pthread_setname_np(thread, "very deep");
  pthread_create(&thread, NULL, work_deep, (void *)0);
  pthread_setname_np(thread, "flat worker");
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < SLEEPERS; ++i) await_sleep(sleepers[i]);
  return print("of \"stacks\"\n");
}

int failures(void) {
  struct rlimit small = {.rlim_cur = 1024, .rlim_max = RLIM_INFINITY};
  setrlimit(RLIMIT_FSIZE, &small);
  print("too large a file");
  small.rlim_cur = RLIM_INFINITY;
  setrlimit(RLIMIT_FSIZE, &small);
  const char *folder = getenv("CRASHKIT_DIRECTORY");
  // With what the breadcrumbs are kept in.
  char command[4096];
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  if (system(command) != 0) return 71;
  print("no folder");
  if (mkdir(folder, 0700) != 0) return 71;
  return print("a new folder");
}

void *capture_on(void *unused) {
  for (;;) {
    ck_live_result result;
    ck_capture("", 0, &result);
    if (result.error == 0) unlink(result.path);
  }
  return unused;
}

int crash(void) {
  pthread_t thread;
  for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, capture_on, NULL);
  pthread_barrier_init(&barrier, NULL, 3);
  pthread_create(&thread, NULL, work_deep, (void *)30);
  pthread_create(&thread, NULL, sleep_deep, (void *)30);
  pthread_barrier_wait(&barrier);
  for (int i = 0; i < 5; ++i) {
    ck_live_result result;
    ck_capture("", 0, &result);
    if (result.error == 0) unlink(result.path);
  }
  *(volatile int *)8 = 1;
  return 0;
}
