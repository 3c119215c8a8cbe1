// Alternate signal stacks, and stacks that are too small or nobody's.
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <threads.h>

#include "signal_stacks.h"
#include "breadcrumbs.h"
#include "probe.h"

static void crash(void) { store((char *)8); }

__attribute__((noinline)) static int overflow(volatile char *outer) {
  volatile char here[512];
  here[0] = outer[0];
  return here[0] > 1 ? 0 : overflow(here) + here[1];
}
static void overflow_now(void) {
  volatile char start[1] = {0};
  overflow(start);
}
static int in_thread(void *(*function)(void *)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, function, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}

// --- Threads older than CrashKit, which have called something of it since ---------------------------------------

static pthread_barrier_t barrier;
static void (*call)(void);
static void *wait_call_overflow(void *argument) {
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  if (call) call();
  overflow_now();
  return argument;
}
static int older_thread(void (*calls)(void)) {
  call = calls;
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_call_overflow, NULL) == 0);
  pthread_barrier_wait(&barrier);
  install_crashkit();
  pthread_barrier_wait(&barrier);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}
static void record(void) { ck_breadcrumb_record("older", 5, "probe", 5, CK_INFO, NULL); }
static void read_mask(void) { pthread_sigmask(SIG_BLOCK, NULL, NULL); }
static void print(void) { fputs("words", stdout); }  // an optimiser takes fewer for none
static void read_action(void) { sigaction(SIGUSR1, NULL, NULL); }
static void *nothing(void *argument) { return argument; }
static void start_thread(void) { in_thread(nothing); }
static int older_thread_recorded(void) { return older_thread(record); }
static int older_thread_read_mask(void) { return older_thread(read_mask); }
static int older_thread_printed(void) { return older_thread(print); }
static int older_thread_read_action(void) { return older_thread(read_action); }
static int older_thread_started_another(void) { return older_thread(start_thread); }

// One that has not: it is listed as unprotected.
static void *wait_for_ever(void *argument) {
  pthread_barrier_wait(&barrier);
  for (;;) pause();
  return argument;
}
static int older_thread_silent(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_for_ever, NULL) == 0);
  pthread_barrier_wait(&barrier);
  install_crashkit();
  crash();
  return 7;
}

// --- The program's own stacks -----------------------------------------------------------------------------------

static stack_t own_stack(size_t size) {
  // Its lowest byte next to the guard: what needs more dies there.
  return (stack_t){.ss_sp = guarded(size), .ss_size = size};
}
static void say_stack(const char *where) {
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0);
  say("%s: %d, %d bytes\n", where, now.ss_flags, now.ss_flags & SS_DISABLE ? 0 : (int)now.ss_size);
}

static void *overflow_on_smallest(void *argument) {
  // As small as the kernel takes it on a machine whose registers fit.
  stack_t own = own_stack(2048);
  CHECK(sigaltstack(&own, NULL) == 0);
  overflow_now();
  return argument;
}
static int smallest_own_stack(void) {
  install_crashkit();
  return in_thread(overflow_on_smallest);
}
static int smallest_own_stack_first(void) {
  stack_t own = own_stack(2048);
  CHECK(sigaltstack(&own, NULL) == 0);
  install_crashkit();
  say_stack("as set");
  overflow_now();
  return 7;
}

static int overflow_in_c11_thread(void *argument) {
  overflow_now();
  return argument != NULL;
}
static int overflow_of_c11_thread(void) {
  install_crashkit();
  thrd_t thread;
  CHECK(thrd_create(&thread, overflow_in_c11_thread, NULL) == thrd_success);
  thrd_join(thread, NULL);
  return 7;
}

static void *take_away_and_overflow(void *argument) {
  stack_t own = own_stack(65536), none = {.ss_flags = SS_DISABLE}, old;
  CHECK(sigaltstack(&own, NULL) == 0);
  CHECK(sigaltstack(&none, &old) == 0 && old.ss_sp == own.ss_sp);
  CHECK(munmap(own.ss_sp, own.ss_size) == 0);
  overflow_now();
  return argument;
}
static int own_stack_taken_away(void) {
  install_crashkit();
  return in_thread(take_away_and_overflow);
}

// The program's destructor frees its stack; another one overflows.
static pthread_key_t first_key, second_key;
static void free_own(void *stack) {
  stack_t none = {.ss_flags = SS_DISABLE};
  CHECK(sigaltstack(&none, NULL) == 0);
  CHECK(munmap(stack, 65536) == 0);
}
static void overflow_at_end(void *argument) {
  (void)argument;
  overflow_now();
}
static void *with_keys(void *argument) {
  stack_t own = own_stack(65536);
  CHECK(sigaltstack(&own, NULL) == 0);
  pthread_setspecific(first_key, own.ss_sp);
  pthread_setspecific(second_key, (void *)1);
  return argument;
}
static int own_stack_freed_at_end(void) {
  CHECK(pthread_key_create(&first_key, free_own) == 0 && pthread_key_create(&second_key, overflow_at_end) == 0);
  install_crashkit();
  return in_thread(with_keys);
}

static void *say_thread_stack(void *argument) {
  say_stack("thread");
  return argument;
}
static void say_inside(int signal) {
  (void)signal;
  say_stack("inside");
}
static int own_stacks_read_back(void) {
  stack_t own = own_stack(65536), other = own_stack(32768), none = {.ss_flags = SS_DISABLE}, old;
  struct sigaction action = {.sa_handler = say_inside, .sa_flags = SA_ONSTACK};
  install_around(SIGUSR1, &action);
  in_thread(say_thread_stack);
  CHECK(sigaltstack(&none, NULL) == 0);
  say_stack("none");
  CHECK(sigaltstack(&own, &old) == 0);
  say("before: %d\n", old.ss_flags);
  say_stack("own");
  raise(SIGUSR1);
  CHECK(sigaltstack(&other, &old) == 0 && old.ss_sp == own.ss_sp);
  say_stack("other");
  CHECK(sigaltstack(&none, &old) == 0 && old.ss_sp == other.ss_sp);
  say_stack("none again");
  CHECK(sigaltstack(&none, &old) == 0);
  say("still: %d\n", old.ss_flags);
  stack_t tiny = {.ss_sp = own.ss_sp, .ss_size = 100}, odd = {.ss_sp = own.ss_sp, .ss_size = 65536, .ss_flags = 77};
  say("tiny: %d %d\n", sigaltstack(&tiny, NULL), errno);
  say("odd: %d %d\n", sigaltstack(&odd, NULL), errno);
  say_stack("end");
  return 7;
}

// --- What the handler needs -------------------------------------------------------------------------------------

static void (*death)(void);
static void restore_and_raise(int signal) {
  struct sigaction action = {.sa_handler = SIG_DFL};
  sigaction(signal, &action, NULL);
  raise(signal);
}
static void crash_in_it(int signal) {
  (void)signal;
  crash();
}
static void die_in(void (*handler)(int)) {
  struct sigaction action = {.sa_handler = handler};
  CHECK(sigaction(SIGSEGV, &action, NULL) == 0);
  crash();
}
static void die_in_own_handler(void) { die_in(restore_and_raise); }
static void die_again_in_own_handler(void) { die_in(crash_in_it); }
static void abort_at_once(void) { abort(); }
static void call_nowhere(void) { ((void (*)(void))(uintptr_t)16)(); }

// Shared with the parent, who sees how far down the child has painted its two first parts over.
static size_t painted_over(const unsigned char *space, size_t size) {
  size_t untouched = 0;
  while (untouched < size && space[untouched] == 0xa5) ++untouched;
  return size - untouched;
}
static size_t used_by(void (*how)(void)) {
  unsigned char *spaces[2];
  stack_t parts[2];
  for (int i = 0; i < 2; ++i) {
    parts[i] = cph_signal_stack_part(i);
    spaces[i] = mmap(NULL, parts[i].ss_size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    CHECK(spaces[i] != MAP_FAILED);
    memset(spaces[i], 0xa5, parts[i].ss_size);
  }
  death = how;
  pid_t child = fork();
  if (child == 0) {
    for (int i = 0; i < 2; ++i)
      CHECK(mremap(spaces[i], parts[i].ss_size, parts[i].ss_size, MREMAP_MAYMOVE | MREMAP_FIXED, parts[i].ss_sp)
            == parts[i].ss_sp);
    death();
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && WIFSIGNALED(status));
  size_t most = 0;
  for (int i = 0; i < 2; ++i) {
    size_t used = painted_over(spaces[i], parts[i].ss_size);
    if (used > most) most = used;
    munmap(spaces[i], parts[i].ss_size);
  }
  return most;
}
static int measure_handler(void) {
  install_crashkit();
  say("crash %zu\n", used_by(crash));
  say("call %zu\n", used_by(call_nowhere));
  say("abort %zu\n", used_by(abort_at_once));
  say("handler %zu\n", used_by(die_in_own_handler));
  say("again %zu\n", used_by(die_again_in_own_handler));
  say("kernel %lu\n", getauxval(AT_MINSIGSTKSZ));
  say("constant %d\n", CPH_HANDLER_STACK_BYTES);
  return 7;
}

// --- Coroutines -------------------------------------------------------------------------------------------------

static ucontext_t outside, coroutine;
static void coroutine_main(void) { crash(); }
static int on_coroutine(void) {
  install_crashkit();
  CHECK(getcontext(&coroutine) == 0);
  coroutine.uc_stack.ss_sp = guarded(65536);
  coroutine.uc_stack.ss_size = 65536;
  coroutine.uc_link = &outside;
  makecontext(&coroutine, coroutine_main, 0);
  swapcontext(&outside, &coroutine);
  return 7;
}
// In the middle, and going on: the mask that a context restores is the kernel's.
static void coroutine_step(void) {
  sigset_t set;
  sigfillset(&set);
  sigprocmask(SIG_SETMASK, &set, NULL);
  swapcontext(&coroutine, &outside);
  crash();
}
static int on_coroutine_that_blocks(void) {
  install_crashkit();
  CHECK(getcontext(&coroutine) == 0);
  coroutine.uc_stack.ss_sp = guarded(65536);
  coroutine.uc_stack.ss_size = 65536;
  coroutine.uc_link = &outside;
  makecontext(&coroutine, coroutine_step, 0);
  swapcontext(&outside, &coroutine);
  sigset_t now;
  sigprocmask(SIG_SETMASK, NULL, &now);
  CHECK(!sigismember(&now, SIGSEGV) && !sigismember(&now, SIGUSR1));
  swapcontext(&outside, &coroutine);
  return 7;
}
// By hand: a function called on memory of its own, and at its end.
static void call_on(void (*function)(void), char *top) {
#if defined(__x86_64__)
  __asm__ volatile("movq %%rsp, %%rbx\n movq %1, %%rsp\n call *%0\n movq %%rbx, %%rsp"
                   :
                   : "r"(function), "r"(top)
                   : "rbx", "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#else
  // The frame's address makes the compiler keep a frame pointer: the unwind tables go by it, not by the stack pointer.
  __asm__ volatile("mov x19, sp\n mov sp, %1\n blr %0\n mov sp, x19"
                   :
                   : "r"(function), "r"(top), "r"(__builtin_frame_address(0))
                   : "x19", "x30", "memory");
#endif
}
static int on_hand_made_stack(void) {
  install_crashkit();
  call_on(crash, guarded(65536) + 65536);
  return 7;
}
#if defined(__x86_64__)
// The trap comes behind the instruction after the one that allows it: at the first of the program's _init.
extern void _init(void);
static int trapped_in_init(void) {
  install_crashkit();
  __asm__ volatile("pushfq\n orq $0x100, (%%rsp)\n popfq\n call *%0"
                   :
                   : "r"(_init)
                   : "memory", "cc", "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
  return 7;
}
#endif
static int overflow_of_hand_made_stack(void) {
  install_crashkit();
  call_on(overflow_now, guarded(65536) + 65536);
  return 7;
}

const probe stack_probes[] = {
#if defined(__x86_64__)
    {"trapped-in-init", trapped_in_init},
#endif
    {"older-thread-recorded", older_thread_recorded},
    {"older-thread-read-mask", older_thread_read_mask},
    {"older-thread-printed", older_thread_printed},
    {"older-thread-read-action", older_thread_read_action},
    {"older-thread-started-another", older_thread_started_another},
    {"older-thread-silent", older_thread_silent},
    {"overflow-of-c11-thread", overflow_of_c11_thread},
    {"smallest-own-stack", smallest_own_stack},
    {"smallest-own-stack-first", smallest_own_stack_first},
    {"own-stack-taken-away", own_stack_taken_away},
    {"own-stack-freed-at-end", own_stack_freed_at_end},
    {"own-stacks-read-back", own_stacks_read_back},
    {"measure-handler", measure_handler},
    {"on-coroutine", on_coroutine},
    {"on-coroutine-that-blocks", on_coroutine_that_blocks},
    {"on-hand-made-stack", on_hand_made_stack},
    {"overflow-of-hand-made-stack", overflow_of_hand_made_stack},
    {NULL, NULL},
};
