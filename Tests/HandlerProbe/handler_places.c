// On which stack a program's handler runs, and how much of it there is: as without CrashKit.
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>

#include "probe.h"
#include "processor.h"

#define KIB 1024
static char *page;
static uintptr_t interrupted;
static char *alternate;
static size_t alternate_size, used;
static volatile int calls;
static bool uses_alternate;

static const char *place_of(uintptr_t address) {
  if (alternate && address - (uintptr_t)alternate < alternate_size) return "alternate";
  return address < interrupted && interrupted - address < 64 * KIB ? "interrupted" : "other";
}

__attribute__((noinline)) static void use(size_t bytes) {
  volatile char space[1024];
  space[0] = 1;
  if (bytes > sizeof space) use(bytes - sizeof space);
  space[1] = 2;
}

static void say_stack(const char *when) {
  stack_t now;
  CHECK(sigaltstack(NULL, &now) == 0);
  say("%s: %d %d\n", when, now.ss_flags, now.ss_flags & SS_DISABLE ? 0 : (int)now.ss_size);
}

static void say_place(int signal, siginfo_t *info, void *context) {
  char here;
  ++calls;
  say("signal %d code %d: on the %s stack\n", signal, info->si_code, place_of((uintptr_t)&here));
  say_stack("inside");
  // CrashKit has no part in a handler that asks for no alternate stack, of a signal that is none of its own.
  const stack_t *shown = &((ucontext_t *)context)->uc_stack;
  bool ours = signal == SIGSEGV || uses_alternate;
  if (ours) say("in the context: %d %d\n", shown->ss_size == 0 ? SS_DISABLE : shown->ss_flags, (int)shown->ss_size);
  stack_t none = {.ss_flags = SS_DISABLE};
  // The kernel refuses on the stack itself, and puts back what it was elsewhere.
  if (ours) say("taken away inside: %d\n", sigaltstack(&none, NULL) == 0 ? 0 : errno);
  use(used);
  if (signal == SIGSEGV) open_page(page);
}

static void *come(void *argument) {
  char here;
  interrupted = (uintptr_t)&here;
  int signal = *(int *)argument;
  if (alternate_size) {
    alternate = mmap(NULL, alternate_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(alternate != MAP_FAILED);
    stack_t stack = {.ss_sp = alternate, .ss_size = alternate_size};
    CHECK(sigaltstack(&stack, NULL) == 0);
  }
  for (int i = 0; i < 3; ++i) {
    if (signal == SIGSEGV)
      store(page);
    else
      raise(signal);
    if (signal == SIGSEGV) close_page(page);
  }
  say_stack("after");
  alternate = NULL;
  return argument;
}

static int come_to(int signal, int flags, size_t stack, size_t uses) {
  page = protected_page();
  alternate_size = stack;
  used = uses;
  uses_alternate = flags & SA_ONSTACK;
  struct sigaction action = action_of(say_place, flags), read;
  install_around(signal, &action);
  CHECK(sigaction(signal, NULL, &read) == 0 && read.sa_sigaction == say_place);
  say("flags %x\n", read.sa_flags & ~0x04000000);
  come(&signal);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, come, &signal) == 0 && pthread_join(thread, NULL) == 0);
  say("calls %d\n", calls);
  return 7;
}

static int fault_place(void) { return come_to(SIGSEGV, 0, 0, 256 * KIB); }
static int fault_place_on_stack(void) { return come_to(SIGSEGV, SA_ONSTACK, 1024 * KIB, 512 * KIB); }
static int fault_place_off_stack(void) { return come_to(SIGSEGV, 0, 64 * KIB, 256 * KIB); }
static int fault_place_no_stack(void) { return come_to(SIGSEGV, SA_ONSTACK, 0, 256 * KIB); }
static int sent_place(void) { return come_to(SIGUSR1, 0, 0, 256 * KIB); }
static int sent_place_on_stack(void) { return come_to(SIGUSR1, SA_ONSTACK, 1024 * KIB, 512 * KIB); }
static int sent_place_off_stack(void) { return come_to(SIGUSR1, 0, 64 * KIB, 256 * KIB); }
static int sent_place_no_stack(void) { return come_to(SIGUSR1, SA_ONSTACK, 0, 256 * KIB); }

// Each handler sets another alternate stack, where it may. The old one is back behind it.
static char second_stack[64 * KIB];
static void replace_stack(int signal, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  stack_t second = {.ss_sp = second_stack, .ss_size = sizeof second_stack}, now;
  CHECK(sigaltstack(NULL, &now) == 0);
  int error = sigaltstack(&second, NULL) == 0 ? 0 : errno;
  say("signal %d: %x, replaced: %d\n", signal, (unsigned)now.ss_flags, error);
  if (signal == SIGSEGV) open_page(page);
}
static void *have_stack_replaced(void *kind) {
  static char first_stack[64 * KIB];
  stack_t first = {.ss_sp = first_stack, .ss_size = sizeof first_stack, .ss_flags = *(int *)kind}, now;
  CHECK(sigaltstack(&first, NULL) == 0);
  static const int signals[] = {SIGUSR1, SIGUSR2, SIGSEGV};
  for (int i = 0; i < 12; ++i) {
    int signal = signals[i % 3];
    struct sigaction action = action_of(replace_stack, i < 6 ? SA_ONSTACK : 0);
    if (i % 2 == 0) sigaddset(&action.sa_mask, SIGBUS);
    CHECK(sigaction(signal, &action, NULL) == 0);
    if (signal == SIGSEGV)
      store(page);
    else
      raise(signal);
    close_page(page);
    CHECK(sigaltstack(NULL, &now) == 0);
    say("behind it: %x, the same: %d\n", (unsigned)now.ss_flags, now.ss_sp == first_stack);
  }
  return NULL;
}
static int stack_replaced(void) {
  page = protected_page();
  struct sigaction action = action_of(replace_stack, 0);
  install_around(SIGUSR1, &action);
  // None, and SS_AUTODISARM, which libc's headers do not have.
  int kinds[] = {0, (int)(1u << 31)};
  for (int i = 0; i < 2; ++i) {
    have_stack_replaced(&kinds[i]);
    pthread_t thread;
    CHECK(pthread_create(&thread, NULL, have_stack_replaced, &kinds[i]) == 0 && pthread_join(thread, NULL) == 0);
  }
  return 7;
}

// A handler of one signal inside that of another, both on the alternate stack, which the second goes on using.
static void inner(int signal, siginfo_t *info, void *context) {
  char here;
  (void)info;
  say("inner %d: on the %s stack, in the context %d\n", signal, place_of((uintptr_t)&here),
      ((ucontext_t *)context)->uc_stack.ss_flags);
  use(64 * KIB);
  open_page(page);
}
static void outer(int signal, siginfo_t *info, void *context) {
  char here;
  volatile char kept[4096];
  (void)info;
  (void)context;
  for (size_t i = 0; i < sizeof kept; ++i) kept[i] = (char)i;
  say("outer %d: on the %s stack\n", signal, place_of((uintptr_t)&here));
  store(page);
  for (size_t i = 0; i < sizeof kept; ++i) CHECK(kept[i] == (char)i);
  close_page(page);
}
static int nested_places(void) {
  page = protected_page();
  struct sigaction first = action_of(outer, SA_ONSTACK), second = action_of(inner, SA_ONSTACK);
  install_around(SIGUSR2, &first);
  CHECK(sigaction(SIGSEGV, &second, NULL) == 0);
  char here;
  interrupted = (uintptr_t)&here;
  alternate_size = 256 * KIB;
  alternate = mmap(NULL, alternate_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  stack_t stack = {.ss_sp = alternate, .ss_size = alternate_size};
  CHECK(sigaltstack(&stack, NULL) == 0);
  for (int i = 0; i < 100; ++i) raise(SIGUSR2);
  return 7;
}

// How many handlers inside each other find room for one more on small alternate stacks.
static void nest_while_there_is_room(int signal, siginfo_t *info, void *context) {
  (void)info, (void)context;
  char here;
  ++calls;
  if ((uintptr_t)&here - (uintptr_t)alternate > getauxval(AT_MINSIGSTKSZ) + KIB && calls < 28) raise(signal);
}
static int nested_room(void) {
  alternate_size = 64 * KIB;
  alternate = mmap(NULL, alternate_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(alternate != MAP_FAILED);
  struct sigaction action = action_of(nest_while_there_is_room, SA_ONSTACK | SA_NODEFER);
  install_around(SIGSEGV, &action);
  for (size_t size = 8 * KIB; size <= alternate_size; size += 8 * KIB) {
    stack_t stack = {.ss_sp = alternate, .ss_size = size};
    CHECK(sigaltstack(&stack, NULL) == 0);
    calls = 0;
    raise(SIGSEGV);
    say("%d\n", calls);
  }
  return 7;
}

static void say_mask(const char *where) {
  sigset_t mask;
  CHECK(sigprocmask(SIG_BLOCK, NULL, &mask) == 0);
  say("%s:", where);
  for (int signal = 1; signal < 65; ++signal)
    if (sigismember(&mask, signal) == 1) say(" %d", signal);
  say("\n");
}

// More handlers inside each other than there are signal stacks, on the thread's own stack. They all return.
#define DEEP 300
static void raise_deeper(int signal) {
  char here[64];
  snprintf(here, sizeof here, "level %d", calls);
  if (++calls < DEEP) raise(signal);
  --calls;
  char again[64];
  snprintf(again, sizeof again, "level %d", calls);
  CHECK(strcmp(here, again) == 0);
}
static int raised_deep(int signal) {
  struct sigaction action = {.sa_handler = raise_deeper, .sa_flags = SA_NODEFER};
  install_around(signal, &action);
  raise(signal);
  say("back at %d\n", calls);
  raise(signal);
  say_mask("after");
  return 7;
}
static int nested_deep(void) { return raised_deep(SIGFPE); }
static int nested_deep_other(void) { return raised_deep(SIGUSR2); }

// Without an end: the thread's stack is what ends them.
static void abort_again(int signal) {
  (void)signal;
  abort();
}
static int aborts_again(void) {
  struct sigaction action = {.sa_handler = abort_again};
  install_around(SIGABRT, &action);
  abort();
  return 7;
}
static void raise_again(int signal) { raise(signal); }
static int raises_again(void) {
  struct sigaction action = {.sa_handler = raise_again, .sa_flags = SA_NODEFER};
  install_around(SIGBUS, &action);
  raise(SIGBUS);
  return 7;
}
static void fault_again(int signal) {
  (void)signal;
  store(page);
}
static int faults_again(void) {
  page = protected_page();
  struct sigaction action = {.sa_handler = fault_again, .sa_flags = SA_NODEFER};
  install_around(SIGSEGV, &action);
  store(page);
  return 7;
}

// What a handler blocks, and what it does not, for a signal that is none of ours.
static void say_masks_inside(int signal) {
  (void)signal;
  say_mask("inside");
  sigset_t set, old;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigaddset(&set, SIGTERM);
  CHECK(sigprocmask(SIG_SETMASK, &set, &old) == 0);
  say_mask("set");
  CHECK(sigprocmask(SIG_SETMASK, &old, NULL) == 0);
  say_mask("back");
}
static int sent_masks(void) {
  struct sigaction action = {.sa_handler = say_masks_inside, .sa_flags = SA_ONSTACK};
  sigaddset(&action.sa_mask, SIGTERM);
  sigaddset(&action.sa_mask, SIGSEGV);
  install_around(SIGUSR2, &action);
  raise(SIGUSR2);
  say_mask("after");
  action.sa_flags |= SA_NODEFER;
  CHECK(sigaction(SIGUSR2, &action, NULL) == 0);
  raise(SIGUSR2);
  say_mask("after");
  struct sigaction read;
  action.sa_flags |= (int)SA_RESETHAND;
  CHECK(sigaction(SIGUSR2, &action, &read) == 0);
  say("handler %d, mask %d %d %d, flags %x\n", read.sa_handler == say_masks_inside, sigismember(&read.sa_mask, SIGTERM),
      sigismember(&read.sa_mask, SIGSEGV), sigismember(&read.sa_mask, SIGINT), read.sa_flags & ~0x04000000);
  raise(SIGUSR2);
  CHECK(sigaction(SIGUSR2, NULL, &read) == 0);
  say("reset: %d\n", read.sa_handler == SIG_DFL);
  return 7;
}

// Each level of a recursion faults and jumps back to where it stands: a handler that was left is not taken for one that
// is running, however deep the thread is.
static jmp_buf *way_back;
static void jump_back(int signal) {
  (void)signal;
  ++calls;
  longjmp(*way_back, 1);
}
static sigjmp_buf *way_back_with_mask;
static void jump_back_with_mask(int signal) {
  (void)signal;
  ++calls;
  siglongjmp(*way_back_with_mask, 1);
}
__attribute__((noinline)) static int deeper(int levels, size_t gap) {
  volatile char untouched[gap];
  jmp_buf here;
  sigjmp_buf here_with_mask;
  way_back = &here;
  way_back_with_mask = &here_with_mask;
  if (gap ? sigsetjmp(here_with_mask, 1) == 0 : _setjmp(here) == 0) store(page);
  if (levels > 0) return deeper(levels - 1, gap) + 1;
  return untouched - (volatile char *)here == 0;
}
static int jump_deeper(void) {
  page = protected_page();
  struct sigaction action = {.sa_handler = jump_back_with_mask};
  install_around(SIGSEGV, &action);
  say("levels %d\n", deeper(300, 8192));
  say("calls %d\n", calls);
  say_mask("after");
  return 7;
}
static int jump_deeper_nodefer(void) {
  page = protected_page();
  struct sigaction action = {.sa_handler = jump_back, .sa_flags = SA_NODEFER};
  install_around(SIGSEGV, &action);
  say("levels %d\n", deeper(300, 0));
  say("calls %d\n", calls);
  say_mask("after");
  return 7;
}

// Each fault is deeper than the last one, time and again: the handlers that were left look as if they still ran. Says
// how many times as long such faults take as those at one depth.
#define FAULTS 20000
#define DEPTHS 200

__attribute__((noinline)) static void fault_at(unsigned levels) {
  volatile char room[256];
  room[0] = 1;
  if (levels > 0)
    fault_at(levels - 1);
  else
    store(page);
  room[1] = 2;
}

static uint64_t time_faults(unsigned depths) {
  jmp_buf here;
  way_back = &here;
  struct timespec start, end;
  CHECK(clock_gettime(CLOCK_MONOTONIC, &start) == 0);
  for (volatile unsigned i = 0; i < FAULTS; ++i)
    if (_setjmp(here) == 0) fault_at(i % depths);
  CHECK(clock_gettime(CLOCK_MONOTONIC, &end) == 0);
  return (uint64_t)(end.tv_sec - start.tv_sec) * 1000000000u + (uint64_t)(end.tv_nsec - start.tv_nsec);
}

static int jump_from_depths(void) {
  page = protected_page();
  struct sigaction action = {.sa_handler = jump_back, .sa_flags = SA_NODEFER};
  install_around(SIGSEGV, &action);
  uint64_t one = time_faults(1), many = time_faults(DEPTHS);
  say("%d faults of %llu and %llu ns each: %llu tenths\n", calls, (unsigned long long)one / FAULTS,
      (unsigned long long)many / FAULTS, (unsigned long long)(many * 10 / one));
  return 7;
}

// The alternate stack cannot be written to when the signal comes: the kernel sends SIGSEGV in its place.
static void never_called(int signal) {
  (void)signal;
  _exit(3);
}
static int no_room(int signal, void (*how)(void)) {
  stack_t own = {.ss_sp = guarded(64 * KIB), .ss_size = 64 * KIB};
  CHECK(sigaltstack(&own, NULL) == 0);
  struct sigaction action = {.sa_handler = never_called, .sa_flags = SA_ONSTACK};
  install_around(signal, &action);
  CHECK(mprotect(own.ss_sp, own.ss_size, PROT_NONE) == 0);
  how();
  return 7;
}
static void run_undefined_code(void) { UNDEFINED_INSTRUCTION(); }
static void send_itself_bus(void) { raise(SIGBUS); }
static int no_room_for_undefined(void) { return no_room(SIGILL, run_undefined_code); }
static int no_room_for_abort(void) { return no_room(SIGABRT, abort); }
static int no_room_for_sent(void) { return no_room(SIGBUS, send_itself_bus); }

const probe place_probes[] = {
    {"fault-place", fault_place},
    {"fault-place-on-stack", fault_place_on_stack},
    {"fault-place-off-stack", fault_place_off_stack},
    {"fault-place-no-stack", fault_place_no_stack},
    {"sent-place", sent_place},
    {"sent-place-on-stack", sent_place_on_stack},
    {"sent-place-off-stack", sent_place_off_stack},
    {"sent-place-no-stack", sent_place_no_stack},
    {"stack-replaced", stack_replaced},
    {"nested-places", nested_places},
    {"nested-room", nested_room},
    {"nested-deep", nested_deep},
    {"nested-deep-other", nested_deep_other},
    {"aborts-again", aborts_again},
    {"raises-again", raises_again},
    {"faults-again", faults_again},
    {"sent-masks", sent_masks},
    {"jump-deeper", jump_deeper},
    {"jump-deeper-nodefer", jump_deeper_nodefer},
    {"jump-from-depths", jump_from_depths},
    {"no-room-for-undefined", no_room_for_undefined},
    {"no-room-for-abort", no_room_for_abort},
    {"no-room-for-sent", no_room_for_sent},
    {NULL, NULL},
};
