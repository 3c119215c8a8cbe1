// The cases of a kernel's lock validator that user space can have, as rows of a table: one thread takes locks in some
// orders, one after another. An order is a list of a way of taking and a lock, such as "mA rB": m is the mutex or
// spinlock of the row, w and r are an rwlock taken for writing and for reading. All are released in reverse at its end.
//
// Locks A to D and X to Z are a class each; U is a second lock of X's class. ThreadGuard is told so by a function that
// is there when it is.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios.h"

enum kind { SPINLOCK, MUTEX, RWLOCK, WRITER_PREFERRING };

struct lock {
  enum kind kind;
  union {
    pthread_spinlock_t spin;
    pthread_mutex_t mutex;
    pthread_rwlock_t rw;
  };
};

struct column {
  const char *name;
  char mode;
  enum kind kind;
};

// What a row of the first kind is tried with.
static const struct column columns[] = {
    {"spinlock", 'm', SPINLOCK},
    {"write", 'w', RWLOCK},
    {"read", 'r', RWLOCK},
    {"mutex", 'm', MUTEX},
    {"write-of-writer-preferring", 'w', WRITER_PREFERRING},
    {"read-of-writer-preferring", 'r', WRITER_PREFERRING},
};

// With * for the column's mode; "again" is a second release, "anew" a second initialisation.
static const char *const simple_rows[][2] = {
    {"aa", "*X*U"},
    {"abba", "*A*B *B*A"},
    {"abbcca", "*A*B *B*C *C*A"},
    {"abcabc", "*A*B *C*A *B*C"},
    {"abbccdda", "*A*B *B*C *C*D *D*A"},
    {"abcdbdda", "*A*B *C*D *B*D *D*A"},
    {"abcdbcda", "*A*B *C*D *B*C *D*A"},
    {"double-unlock", "again"},
    {"initialised-while-held", "anew"},
};

// With m for a mutex: once with rwlocks that prefer readers, once with such that prefer writers.
static const char *const mixed_rows[][2] = {
    {"recursive-read", "rXrX"},
    {"recursive-read-of-a-class", "rXrU"},
    {"read-then-write", "rXwX"},
    {"write-then-read", "wXrX"},
    {"read-lock-lock-write", "rXmA mAwX"},
    {"read-lock-lock-read", "rXmA mArX"},
    {"write-lock-lock-write", "wXmA mAwX"},
};

static const char *const reader_rows[][2] = {
    {"chain-cached-read-lock-lock-write", "rXmA mArX mAwX"},
};

// Each in all six orders of its three parts.
static const char *const three_lock_rows[][4] = {
    {"w1r2-w2r3-w3r1", "wXrY", "wYrZ", "wZrX"},
    {"w1w2-r2r3-w3r1", "wXwY", "rYrZ", "wZrX"},
    {"w1w2-r2r3-r3w1", "wXwY", "rYrZ", "rZwX"},
    {"w1r2-r2r3-w3w1", "wXrY", "rYrZ", "wZwX"},
};
static const char *const permutations[] = {"123", "132", "213", "231", "312", "321"};

static struct lock locks[8];
static const char lock_names[] = "ABCDXYZU";

void threadguard_name_lock(const void *lock, const char *name) __attribute__((weak));

static void make(struct lock *lock, enum kind kind) {
  lock->kind = kind;
  if (kind == SPINLOCK) {
    MUST(pthread_spin_init(&lock->spin, PTHREAD_PROCESS_PRIVATE));
  } else if (kind == MUTEX) {
    MUST(pthread_mutex_init(&lock->mutex, NULL));
  } else {
    pthread_rwlockattr_t attributes;
    MUST(pthread_rwlockattr_init(&attributes));
    if (kind == WRITER_PREFERRING)
      MUST(pthread_rwlockattr_setkind_np(&attributes, PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP));
    MUST(pthread_rwlock_init(&lock->rw, &attributes));
  }
}

static void make_of_class(struct lock *lock, enum kind kind, const char *name) {
  make(lock, kind);
  if (threadguard_name_lock) threadguard_name_lock(&lock->mutex, name);
}

static struct lock *lock_named(char name) { return &locks[strchr(lock_names, name) - lock_names]; }

// What is taken by m, and what by w and r.
static void make_locks(enum kind first, enum kind second) {
  static const char *const of_first[] = {"A", "B", "C", "D"}, *const of_second[] = {"X", "Y", "Z"};
  for (size_t i = 0; i < 4; i++) make_of_class(lock_named(of_first[i][0]), first, of_first[i]);
  for (size_t i = 0; i < 3; i++) make_of_class(lock_named(of_second[i][0]), second, of_second[i]);
  make_of_class(lock_named('U'), second, "X");
}

static int take(struct lock *lock, char mode) {
  if (lock->kind == SPINLOCK) return pthread_spin_lock(&lock->spin);
  if (lock->kind == MUTEX) return pthread_mutex_lock(&lock->mutex);
  return mode == 'r' ? pthread_rwlock_rdlock(&lock->rw) : pthread_rwlock_wrlock(&lock->rw);
}

static void release(struct lock *lock) {
  if (lock->kind == SPINLOCK) {
    MUST(pthread_spin_unlock(&lock->spin));
  } else if (lock->kind == MUTEX) {
    MUST(pthread_mutex_unlock(&lock->mutex));
  } else {
    MUST(pthread_rwlock_unlock(&lock->rw));
  }
}

/// Takes one order's locks and releases them.
static void run_order(const char *order, size_t length, char mode) {
  struct lock *held[4];
  size_t count = 0;
  for (size_t i = 0; i + 1 < length; i += 2) {
    struct lock *lock = lock_named(order[i + 1]);
    int error = take(lock, order[i] == '*' ? mode : order[i]);
    // glibc refuses a lock for reading to the thread that has it for writing.
    if (error == 0)
      held[count++] = lock;
    else if (error != EDEADLK)
      succeeded(error, "lock");
  }
  while (count > 0) release(held[--count]);
}

static void run_orders(const char *orders, char mode) {
  while (*orders) {
    size_t length = strcspn(orders, " ");
    run_order(orders, length, mode);
    orders += length + (orders[length] == ' ');
  }
}

static void run_simple(const char *orders, const struct column *column) {
  make_locks(column->kind, column->kind);
  struct lock *a = lock_named('A');
  if (strcmp(orders, "again") == 0) {
    MUST(take(a, column->mode));
    release(a);
    release(a);
  } else if (strcmp(orders, "anew") == 0) {
    MUST(take(a, column->mode));
    make(a, column->kind);
  } else {
    run_orders(orders, column->mode);
  }
}

/// Calls `found` with each case's name, and runs the one that `wanted` names.
static int each_case(const char *wanted, void (*found)(const char *name)) {
  char name[128];
#define CASE(RUN, ...)                                     \
  do {                                                     \
    snprintf(name, sizeof name, "self-test/" __VA_ARGS__); \
    if (found) found(name);                                \
    if (wanted && strcmp(name, wanted) == 0) {             \
      RUN;                                                 \
      return 1;                                            \
    }                                                      \
  } while (0)
#define EACH(INDEX, TABLE) for (size_t INDEX = 0; INDEX < sizeof TABLE / sizeof TABLE[0]; INDEX++)
  EACH(row, simple_rows) {
    EACH(i, columns) CASE(run_simple(simple_rows[row][1], &columns[i]), "%s-%s", simple_rows[row][0], columns[i].name);
  }
  EACH(row, mixed_rows) {
    const char *const *one = mixed_rows[row];
    CASE((make_locks(MUTEX, RWLOCK), run_orders(one[1], 0)), "%s", one[0]);
    CASE((make_locks(MUTEX, WRITER_PREFERRING), run_orders(one[1], 0)), "%s-of-writer-preferring", one[0]);
  }
  EACH(row, reader_rows) {
    CASE((make_locks(MUTEX, RWLOCK), run_orders(reader_rows[row][1], 0)), "%s", reader_rows[row][0]);
  }
  EACH(row, three_lock_rows) {
    EACH(p, permutations) {
      char orders[32];
      const char *const *parts = three_lock_rows[row], *order = permutations[p];
      snprintf(orders, sizeof orders, "%s %s %s", parts[order[0] - '0'], parts[order[1] - '0'], parts[order[2] - '0']);
      CASE((make_locks(MUTEX, RWLOCK), run_orders(orders, 0)), "%s-%s", parts[0], order);
    }
  }
  return 0;
}

int self_test_run(const char *name) { return each_case(name, NULL); }

static void print(const char *name) { puts(name); }

void self_test_list(void) { each_case(NULL, print); }
