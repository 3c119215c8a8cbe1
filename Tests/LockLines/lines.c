// Two locks in both orders, taken in all the ways that can mislead a reader of return addresses.
// Scripts/checks/lock_lines.py runs each way and holds every stack to the line that is marked: "WAY: LOCK first" or
// "second", and "from" of its caller.

#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#define NEVER_INLINED static __attribute__((noinline))
#define ALWAYS_INLINED static inline __attribute__((always_inline))

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_rwlock_t ra = PTHREAD_RWLOCK_INITIALIZER, rb = PTHREAD_RWLOCK_INITIALIZER;
static volatile int count;

NEVER_INLINED void give_back(void) {
  pthread_mutex_unlock(&a);
  pthread_mutex_unlock(&b);
}

// --- A call of another function on the next line

NEVER_INLINED void plain_a_b(void) {
  pthread_mutex_lock(&a);  // plain: A first
  puts("between");
  pthread_mutex_lock(&b);  // plain: B second
  puts("both");
  give_back();
}

NEVER_INLINED void plain_b_a(void) {
  pthread_mutex_lock(&b);  // plain: B first
  puts("between");
  pthread_mutex_lock(&a);  // plain: A second
  puts("both");
  give_back();
}

// --- The next lock on the next line

NEVER_INLINED void adjoining_a_b(void) {
  pthread_mutex_lock(&a);  // adjoining: A first
  pthread_mutex_lock(&b);  // adjoining: B second
  give_back();
}

NEVER_INLINED void adjoining_b_a(void) {
  pthread_mutex_lock(&b);  // adjoining: B first
  pthread_mutex_lock(&a);  // adjoining: A second
  give_back();
}

// --- An inlined function behind the call

ALWAYS_INLINED void count_one(void) { ++count; }

NEVER_INLINED void inlined_behind_a_b(void) {
  pthread_mutex_lock(&a);  // inlined-behind: A first
  count_one();
  pthread_mutex_lock(&b);  // inlined-behind: B second
  count_one();
  give_back();
}

NEVER_INLINED void inlined_behind_b_a(void) {
  pthread_mutex_lock(&b);  // inlined-behind: B first
  count_one();
  pthread_mutex_lock(&a);  // inlined-behind: A second
  count_one();
  give_back();
}

// --- The call at the end of an inlined function

ALWAYS_INLINED void take(pthread_mutex_t *mutex) {
  pthread_mutex_lock(mutex);  // inlined-around: A first, B second, B first, A second
}

NEVER_INLINED void inlined_around_a_b(void) {
  take(&a);  // inlined-around: A first from
  count_one();
  take(&b);  // inlined-around: B second from
  give_back();
}

NEVER_INLINED void inlined_around_b_a(void) {
  take(&b);  // inlined-around: B first from
  count_one();
  take(&a);  // inlined-around: A second from
  give_back();
}

// --- The last call of a function: of optimised code the function is gone, and the line is its caller's

NEVER_INLINED int take_last(pthread_mutex_t *mutex) {
  return pthread_mutex_lock(mutex);  // tail-call: A first maybe, B second maybe, B first maybe, A second maybe
}

NEVER_INLINED void tail_call_a_b(void) {
  take_last(&a);  // tail-call: A first
  puts("between");
  take_last(&b);  // tail-call: B second
  puts("both");
  give_back();
}

NEVER_INLINED void tail_call_b_a(void) {
  take_last(&b);  // tail-call: B first
  puts("between");
  take_last(&a);  // tail-call: A second
  puts("both");
  give_back();
}

// --- In a loop, whose head is the line that runs next

NEVER_INLINED void loop(pthread_mutex_t *const mutexes[2]) {
  for (int i = 0; i < 2; ++i) pthread_mutex_lock(mutexes[i]);  // loop: A first, B second, B first, A second
  give_back();
}

NEVER_INLINED void loop_a_b(void) { loop((pthread_mutex_t *const[]){&a, &b}); }
NEVER_INLINED void loop_b_a(void) { loop((pthread_mutex_t *const[]){&b, &a}); }

// --- The same with what else can be taken

NEVER_INLINED void others_a_b(void) {
  pthread_rwlock_wrlock(&ra);  // others: A first
  count_one();
  pthread_rwlock_wrlock(&rb);  // others: B second
  count_one();
  pthread_rwlock_unlock(&rb);
  pthread_rwlock_unlock(&ra);
}

NEVER_INLINED void others_b_a(void) {
  pthread_rwlock_wrlock(&rb);  // others: B first
  count_one();
  pthread_rwlock_wrlock(&ra);  // others: A second
  count_one();
  pthread_rwlock_unlock(&ra);
  pthread_rwlock_unlock(&rb);
}

// --- In a signal handler: the function that it interrupted has made no call

static sigjmp_buf after_handler;

#ifdef __x86_64__
#define ILLEGAL_INSTRUCTION "ud2"
#else
#define ILLEGAL_INSTRUCTION "udf #0"
#endif

static void handler_a_b(int signal) {
  (void)signal;
  pthread_mutex_lock(&a);  // handler: A first
  pthread_mutex_lock(&b);  // handler: B second
  give_back();
  siglongjmp(after_handler, 1);
}

static void handler_b_a(int signal) {
  (void)signal;
  pthread_mutex_lock(&b);  // handler: B first
  pthread_mutex_lock(&a);  // handler: A second
  give_back();
  siglongjmp(after_handler, 1);
}

NEVER_INLINED void interrupt(void (*handler)(int)) {
  signal(SIGILL, handler);
  if (sigsetjmp(after_handler, 1)) return;
  count_one();
  __asm__ volatile(ILLEGAL_INSTRUCTION);  // handler: A first from, B second from, B first from, A second from
}

NEVER_INLINED void interrupted_a_b(void) { interrupt(handler_a_b); }
NEVER_INLINED void interrupted_b_a(void) { interrupt(handler_b_a); }

// --- A lock that never returns: behind the call there is no code, or another function's

NEVER_INLINED __attribute__((noreturn)) void wait_for_ever(void) {
  pthread_mutex_lock(&a);  // never-returns: here
  __builtin_unreachable();
}

NEVER_INLINED void never_returns(void) {
  pthread_mutex_lock(&a);  // never-returns: taken
  puts("between");
  fflush(stdout);
  wait_for_ever();
}

static const struct {
  const char *name;
  void (*parts[2])(void);
} ways[] = {
    {"plain", {plain_a_b, plain_b_a}},
    {"adjoining", {adjoining_a_b, adjoining_b_a}},
    {"inlined-behind", {inlined_behind_a_b, inlined_behind_b_a}},
    {"inlined-around", {inlined_around_a_b, inlined_around_b_a}},
    {"tail-call", {tail_call_a_b, tail_call_b_a}},
    {"loop", {loop_a_b, loop_b_a}},
    {"others", {others_a_b, others_b_a}},
    {"handler", {interrupted_a_b, interrupted_b_a}},
    {"never-returns", {never_returns}},
};

int main(int argument_count, char **arguments) {
  for (size_t i = 0; i < sizeof ways / sizeof *ways; ++i) {
    if (argument_count != 2 || strcmp(arguments[1], ways[i].name) != 0) continue;
    for (int k = 0; k < 2 && ways[i].parts[k]; ++k) ways[i].parts[k]();
    return 0;
  }
  return 64;
}
