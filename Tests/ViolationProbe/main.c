// Reports violations that it makes up, with real stacks of its own. What it prints tells what a report cost:
//
// violation-probe KIND…            one violation of each kind, in turn (kinds as in a report)
// violation-probe all              one of each kind
// violation-probe repeat COUNT     the same one so often
// violation-probe many COUNT       so many different ones
// violation-probe threads COUNT    the same sixteen from each of so many threads at once
// violation-probe stack KIB        four, from a thread with so much stack
// violation-probe fork             one, and then another one in a child
// violation-probe hostile          one whose texts are hostile
// violation-probe unread COUNT     so many different ones, and one more when somebody has read standard error
// violation-probe inside           one from inside of malloc, counting what is allocated and locked meanwhile

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ground/libc_functions.h"
#include "own_stack.h"
#include "violation_options.h"
#include "violation_store.h"
#include "violations.h"

#define NEVER_INLINED __attribute__((noinline, optnone))

// --- What a report calls meanwhile -----------------------------------------------------------------------------

static _Atomic int watched;
static _Atomic int allocations, locks;
static void (*_Atomic inside_malloc)(void);

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);

void *malloc(size_t size) {
  if (watched) ++allocations;
  void (*call)(void) = atomic_exchange(&inside_malloc, NULL);
  if (call) call();
  return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
  if (watched) ++allocations;
  return __libc_calloc(count, size);
}

// Behind the interposed function, which every lock goes through in the end.
static int (*lock_really)(pthread_mutex_t *);

static int lock_and_count(pthread_mutex_t *mutex) {
  if (watched) ++locks;
  return lock_really(mutex);
}

static void count_locks(void) {
  lock_really = ctg_real.mutex_lock;
  ctg_real.mutex_lock = lock_and_count;
}

// --- Stacks ----------------------------------------------------------------------------------------------------

#define DEPTH 16

struct taken {
  uintptr_t addresses[DEPTH];
  size_t count;
};

NEVER_INLINED static struct ctg_stack take(struct taken *taken) {
  taken->count = ctg_own_stack(taken->addresses, DEPTH);
  return (struct ctg_stack){taken->addresses, taken->count};
}

static struct taken cache_first, database_second, database_first, cache_second, here, there;

NEVER_INLINED static void lock_cache(void) { take(&cache_first); }
NEVER_INLINED static void then_lock_database(void) { take(&database_second); }
NEVER_INLINED static void lock_database(void) { take(&database_first); }
NEVER_INLINED static void then_lock_cache(void) { take(&cache_second); }
NEVER_INLINED static void misuse(void) { take(&here); }
NEVER_INLINED static void earlier(void) { take(&there); }

static struct ctg_stack stack_of(const struct taken *taken) {
  return (struct ctg_stack){taken->addresses, taken->count};
}

// --- Violations ------------------------------------------------------------------------------------------------

static const struct ctg_thread reader = {.id = 4001, .name = "reader"}, writer = {.id = 4002, .name = "writer"};

NEVER_INLINED static int lock_orders(enum ctg_kind kind) {
  lock_cache();
  then_lock_database();
  lock_database();
  then_lock_cache();
  const struct ctg_lock both[] = {
      {.address = 0x1000, .type = CTG_MUTEX, .name = "app.cache", .origin = stack_of(&cache_first)},
      {.address = 0x2000, .type = CTG_RWLOCK, .name = "app.database", .origin = stack_of(&database_first)},
      {.address = 0x3000, .type = CTG_QUEUE, .name = "app.gate"},
  };
  static const size_t gate[] = {2};
  const struct ctg_edge edges[] = {
      {.from = 0,
       .to = 1,
       .to_mode = CTG_SHARED,
       .thread = reader,
       .from_stack = stack_of(&cache_first),
       .to_stack = stack_of(&database_second),
       .held = gate,
       .held_count = 1},
      {.from = 1,
       .to = 0,
       .thread = writer,
       .from_stack = stack_of(&database_first),
       .to_stack = stack_of(&cache_second)},
  };
  const struct ctg_violation violation = {
      .kind = kind,
      .severity = CTG_ERROR,
      .code = "cycle",
      .message = "\"app.cache\" and \"app.database\" are taken in opposite orders",
      .locks = both,
      .lock_count = 3,
      .edges = edges,
      .edge_count = 2,
  };
  return ctg_violation_report(&violation);
}

NEVER_INLINED static int with_stacks(enum ctg_kind kind, enum ctg_severity severity, const char *code,
                                     const char *message, unsigned line) {
  misuse();
  earlier();
  const struct ctg_lock lock = {.address = 0x1000, .type = CTG_MUTEX, .name = "app.cache", .origin = stack_of(&there)};
  const struct ctg_labelled_stack stacks[] = {
      {.label = "here", .thread = writer, .stack = stack_of(&here)},
      {.label = "the other access (write)", .thread = reader, .stack = stack_of(&there)},
  };
  bool is_of_queue = kind == CTG_MAIN_QUEUE_VIOLATION;
  const struct ctg_violation violation = {
      .kind = kind,
      .severity = severity,
      .code = code,
      .message = message,
      .locks = kind == CTG_LOCK_MISUSE ? &lock : NULL,
      .lock_count = kind == CTG_LOCK_MISUSE,
      .stacks = stacks,
      .stack_count = 2,
      .expected = is_of_queue ? "com.apple.main-thread" : NULL,
      .actual = is_of_queue ? "app.background" : NULL,
      .function = line ? "refresh()" : NULL,
      .file = line ? "App/View.swift" : NULL,
      .line = line,
  };
  return ctg_violation_report(&violation);
}

static int of_kind(enum ctg_kind kind) {
  switch (kind) {
    case CTG_LOCK_ORDER_INVERSION:
    case CTG_DEADLOCK: return lock_orders(kind);
    case CTG_LOCK_MISUSE:
      return with_stacks(kind, CTG_WARNING, "unlock-by-other-thread", "unlocked by another thread", 0);
    case CTG_MAIN_QUEUE_VIOLATION: return with_stacks(kind, CTG_ERROR, "wrong-queue", "must run on the main queue", 42);
    case CTG_DATA_RACE: return with_stacks(kind, CTG_ERROR, "overlapping-access", "two writes at once", 7);
    case CTG_NAN: return with_stacks(kind, CTG_ERROR, "birth", "0 divided by 0", 0);
    default: return with_stacks(kind, CTG_NOTE, "held-too-long", "held for 2.5 s", 0);
  }
}

static int numbered(unsigned number) { return with_stacks(CTG_NAN, CTG_ERROR, "birth", "0 divided by 0", number); }

static void *in_thread(void *unused) {
  (void)unused;
  for (unsigned i = 1; i <= 4; ++i) numbered(i);
  return NULL;
}

static pthread_barrier_t start;

static void *at_once(void *first) {
  pthread_barrier_wait(&start);
  for (unsigned i = 0; i < 16; ++i) numbered(1 + ((unsigned)(uintptr_t)first + i) % 16);
  return NULL;
}

static void report_inside(void) {
  watched = 1;
  errno = 77;
  lock_orders(CTG_LOCK_ORDER_INVERSION);
  int after = errno;
  watched = 0;
  printf("errno %d, %d allocations, %d locks\n", after, allocations, locks);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  unsigned number = count > 2 ? (unsigned)atoi(arguments[2]) : 0;
  if (strcmp(what, "repeat") == 0) {
    for (unsigned i = 0; i < number; ++i) of_kind(CTG_NAN);
  } else if (strcmp(what, "all") == 0) {
    for (int kind = 0; kind < CTG_KIND_COUNT; ++kind) of_kind((enum ctg_kind)kind);
  } else if (strcmp(what, "many") == 0) {
    for (unsigned i = 1; i <= number; ++i) numbered(i);
  } else if (strcmp(what, "unread") == 0) {
    for (unsigned i = 1; i <= number; ++i) numbered(i);
    puts("read");
    fflush(stdout);
    getchar();
    numbered(number + 1);
  } else if (strcmp(what, "threads") == 0) {
    pthread_t threads[64];
    if (number > 64) return 1;
    pthread_barrier_init(&start, NULL, number);
    for (unsigned i = 0; i < number; ++i) pthread_create(&threads[i], NULL, at_once, (void *)(uintptr_t)i);
    for (unsigned i = 0; i < number; ++i) pthread_join(threads[i], NULL);
  } else if (strcmp(what, "stack") == 0) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    if (pthread_attr_setstacksize(&attributes, number * 1024) != 0) return 1;
    pthread_t thread;
    pthread_create(&thread, &attributes, in_thread, NULL);
    pthread_join(thread, NULL);
  } else if (strcmp(what, "fork") == 0) {
    // At one place, so that it is the same violation.
    pid_t child = 0;
    for (int i = 0; i < 2 && child == 0; ++i) {
      numbered(1);
      if (i == 0) child = fork();
    }
    if (child == 0) return 0;
    int status = 0;
    waitpid(child, &status, 0);
    printf("child %d\n", WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  } else if (strcmp(what, "hostile") == 0) {
    with_stacks(CTG_NAN, CTG_ERROR, "a\"b\\c", "\xff line\nThreadGuard[1]: forged %s::,\x1b[31m", 0);
  } else if (strcmp(what, "inside") == 0) {
    count_locks();
    atomic_store(&inside_malloc, report_inside);
    free(malloc(10));
  } else {
    for (int i = 1; i < count; ++i)
      for (int kind = 0; kind < CTG_KIND_COUNT; ++kind)
        if (strcmp(arguments[i], ctg_kind_name((enum ctg_kind)kind)) == 0)
          printf("%s %d\n", arguments[i], of_kind((enum ctg_kind)kind));
  }
  return 0;
}
