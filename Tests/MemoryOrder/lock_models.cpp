// The quick locks: locks/quick_locks.h, and ground/engine_lock.h. Each thread tries once: what a single step cannot do
// is left to glibc, whose functions are in the model where they meet ours.

#include "explorer.h"

namespace memory_order_models {

// --- Mutexes: ctg_mutex_quick_lock, ctg_mutex_quick_unlock ----------------------------------------------------------

static Site mutex_lock("mutex.lock", ACQUIRE);
static Site mutex_unlock("mutex.unlock", RELEASE);

enum { LOCK, USERS, DATA = 0 };

static void mutex(int thread) {
  int found = 0;
  if (!compare_exchange(LOCK, &found, 1, mutex_lock, RELAXED)) {
    // wait_for in interposed/mutex.c asks whether the thread itself is the owner.
    if (load(USERS, RELAXED) == thread + 1) fail("a thread takes itself for the owner");
    return;
  }
  int users = load(USERS, RELAXED);
  if (users != 0) fail("a mutex that is free has an owner");
  store(USERS, users + thread + 1, RELAXED);
  write(DATA, read(DATA) + 1);
  if (load(USERS, RELAXED) != thread + 1) fail("another thread is the owner");
  store(USERS, 0, RELAXED);
  exchange(LOCK, 0, mutex_unlock);
}
static const Register mutex_model({"mutex.lock_and_unlock", "the lock orders what it guards, and its own words", 3, 2,
                                   1, mutex, nullptr});

// --- Read-write locks: ctg_rwlock_quick_… ---------------------------------------------------------------------------

static Site quick_read("rwlock.read", ACQUIRE);
static Site quick_end_reading("rwlock.end_reading", RELEASE);
static Site quick_write("rwlock.write", ACQUIRE);
static Site quick_end_writing("rwlock.end_writing", RELEASE);

enum { READERS, WRITERS_FUTEX, CURRENT_WRITER, WRITING = 1, WRITER = 2, READER = 8, STATES = 7 };

static bool begin_reading() {
  int readers = load(READERS, RELAXED);
  if (readers & STATES) return false;
  return compare_exchange(READERS, &readers, readers + READER, quick_read, RELAXED);
}

static bool end_reading() {
  int readers = load(READERS, RELAXED);
  if (readers & STATES || readers < READER) return false;
  return compare_exchange(READERS, &readers, readers - READER, quick_end_reading, RELAXED);
}

static bool begin_writing(int thread) {
  int readers = load(READERS, RELAXED);
  if (readers > WRITING) return false;
  if (!compare_exchange(READERS, &readers, WRITING | WRITER, quick_write, RELAXED)) return false;
  store(WRITERS_FUTEX, 1, RELAXED);
  store(CURRENT_WRITER, thread + 1, RELAXED);
  return true;
}

static bool end_writing(int thread) {
  int waits = 1, readers = WRITING | WRITER;
  if (load(READERS, RELAXED) != readers) return false;
  if (!compare_exchange(WRITERS_FUTEX, &waits, 0, RELAXED, RELAXED)) fail("the word of waiting writers is another's");
  if (load(CURRENT_WRITER, RELAXED) != thread + 1) fail("another thread is the writer");
  store(CURRENT_WRITER, 0, RELAXED);
  if (compare_exchange(READERS, &readers, WRITING, quick_end_writing, RELAXED)) return true;
  store(CURRENT_WRITER, thread + 1, RELAXED);
  store(WRITERS_FUTEX, 1, RELAXED);
  return false;
}

// glibc's own way to read, which ends the phase of writing: fetch_add, then an exchange of the phase.
static bool glibc_begins_reading() {
  int readers = add(READERS, READER, ACQUIRE) + READER;
  if (!(readers & WRITING)) return true;
  if (readers & WRITER) return false;
  return compare_exchange(READERS, &readers, readers ^ WRITING, ACQUIRE, RELAXED);
}

static void two_write(int thread) {
  if (!begin_writing(thread)) return;
  write(DATA, read(DATA) + 1);
  end_writing(thread);
}
static const Register two_write_model({"rwlock.two_write", "one writer at a time", 2, 3, 1, two_write, nullptr});

static void two_read(int thread) {
  if (thread == 2) return two_write(thread);
  if (!begin_reading()) return;
  read(DATA);
  end_reading();
}
static const Register two_read_model({"rwlock.two_read", "readers come before the writer, or not at all", 3, 3, 1,
                                      two_read, nullptr});

// What the writer wrote reaches the second reader by way of the first, who has let it go on with no order of its own.
static void after_writing(int thread) {
  if (thread == 0) return two_write(thread);
  if (!(thread == 1 ? glibc_begins_reading() : begin_reading())) return;
  read(DATA);
}
static const Register after_writing_model({"rwlock.after_writing", "a reader sees what the writer wrote", 3, 3, 1,
                                           after_writing, nullptr});

// --- ThreadGuard's own lock: ctg_engine_lock, ctg_engine_unlock -----------------------------------------------------

static Site engine_lock("engine.lock", ACQUIRE);
static Site engine_wait("engine.wait", ACQUIRE);
static Site engine_unlock("engine.unlock", RELEASE);

static void engine(int) {
  int seen = 0;
  // Once around the loop: a thread that sleeps comes back to the same exchange.
  if (!compare_exchange(LOCK, &seen, 1, engine_lock, RELAXED) && exchange(LOCK, 2, engine_wait) != 0) return;
  write(DATA, read(DATA) + 1);
  exchange(LOCK, 0, engine_unlock);
}
static const Register engine_model({"engine.lock_and_unlock", "one thread at a time is in the graph", 3, 1, 1, engine,
                                    nullptr});

}  // namespace memory_order_models
