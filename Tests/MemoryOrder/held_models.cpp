// The held-lock stacks, and what leads a reader to them: locks/held.h, waiting/waits.c with waiting/deadlocks.c,
// threads/threads.c with ground/pool.c, locks/records.c.

#include "explorer.h"

namespace memory_order_models {

// --- The table of threads: ctg_pool_take, ctg_thread_attach; ctg_thread_at and whoever asks is_live first ------------

static Site used_store("threads.used_store", RELEASE);
static Site used_load("threads.used_load", ACQUIRE);
static Site live_store("threads.live_store", RELEASE);
static Site live_load("threads.live_load", ACQUIRE);

enum { USED, LIVE, CHUNK = 0, ID };

static void attach(Order used) {
  write(CHUNK, 1);
  store(USED, 1, used);
  write(ID, 7);
  store(LIVE, 1, live_store);
}
static void table(int thread) {
  if (thread == 0) return attach(used_store);
  if (load(USED, used_load) == 0) return;
  if (read(CHUNK) != 1) fail("a state in memory that is not there");
  if (load(LIVE, live_load) == 1 && read(ID) != 7) fail("a thread without its id");
}
static const Register table_model({"threads.table", "a state that is reached is there, and of its thread if it is live",
                                   2, 2, 2, table, nullptr});

static void plain_used_before(int thread) {
  if (thread == 0) return attach(RELAXED);
  if (load(USED, RELAXED) == 1) read(CHUNK);
}
static const Register plain_used_before_model({"threads.plain_used_before", "`used` was a plain word, with no order", 2,
                                               2, 2, plain_used_before, nullptr, "a race on plain memory"});

static void id_first_before(int thread) {
  if (thread == 0) return attach(used_store);
  if (load(USED, used_load) == 1) read(ID);
}
static const Register id_first_before_model({"threads.id_first_before", "the id was read before is_live", 2, 2, 2,
                                             id_first_before, nullptr, "a race on plain memory"});

// --- Records of locks: add, ctg_record_find_bounded ------------------------------------------------------------------

static Site bucket_store("records.bucket_store", RELEASE);
static Site bucket_load("records.bucket_load", ACQUIRE);

static void records(int thread) {
  if (thread == 0) {
    write(CHUNK, 1);
    store(0, 1, bucket_store);
  } else if (load(0, bucket_load) != 0 && read(CHUNK) != 1) {
    fail("a record in memory that is not there");
  }
}
static const Register records_model({"records.bucket", "a record that is found is there", 2, 1, 1, records, nullptr});

// --- What a thread waits for: ctg_wait_begins, ctg_wait_ends; enter and key_of, look_at_wait -------------------------

static Site begin_add("waits.begin_add", RELEASE);
static Site end_fence("waits.end_fence", RELEASE);
static Site look_load("waits.look_load", ACQUIRE);
static Site look_fence("waits.look_fence", ACQUIRE);

enum { WAITS, WANTED, WANTED_MORE, DEPTH };

// Two waits, each for a lock of its own, with one more lock held at the second.
static void wait_twice(Order end) {
  for (int wait = 1; wait <= 3; wait += 2) {
    store(DEPTH, wait, RELAXED);
    store(WANTED, wait, RELAXED);
    store(WANTED_MORE, wait, RELAXED);
    add(WAITS, 1, begin_add);
    add(WAITS, 1, RELAXED);
    fence(end);
  }
}
static void look_at_wait(Order again) {
  int waits = load(WAITS, look_load);
  if (!(waits & 1)) return;
  int wanted = load(WANTED, RELAXED), more = load(WANTED_MORE, RELAXED), depth = load(DEPTH, RELAXED);
  fence(again);
  if (load(WAITS, RELAXED) != waits) return;
  if (wanted != more) fail("half of one wanted lock, half of another");
  if (wanted != waits) fail("the lock that another wait is for");
  if (depth != waits) fail("a stack of locks of another time");
}
static void waits(int thread) { thread == 0 ? wait_twice(end_fence) : look_at_wait(look_fence); }
static const Register waits_model({"waits.begin_and_end", "a wait that goes on has its lock and its stack", 2, 4, 0,
                                   waits, nullptr});

static void waits_before(int thread) { thread == 0 ? wait_twice(RELAXED) : look_at_wait(RELAXED); }
static const Register waits_before_model({"waits.no_fences_before", "neither side had a fence", 2, 4, 0, waits_before,
                                          nullptr, "a stack of locks of another time"});

// --- A handler that locks, on the thread itself: ctg_held_push, ctg_held_pop_once -----------------------------------

static Guard depth_first("held.depth_first");

// The compiler alone could change the order here, so the steps are those of one thread: the handler runs between any
// two of them. Place 0 of the stack is what both might use.
static void handler(int) {
  int comes = choose(3), depth = 0, stack[2] = {0, 0};
  for (int step = 0; step < 2; ++step) {
    if (comes == step) stack[depth] = 2;  // pushes at `depth`, and pops
    bool is_depth = (step == 0) == depth_first;
    if (is_depth)
      depth = 1;
    else
      stack[0] = 1;
  }
  if (stack[0] != 1) fail("a handler's lock in the place of the thread's own");
}
static const Register handler_model({"held.handler", "a handler that locks leaves the stack as it was", 1, 0, 0,
                                     handler, nullptr});

// A crash reads the stack of a thread that has answered: ctg_held_push, then `stop` in threads/thread_stopping.c. The
// order by which it answers is handover.answer_store's.
static void stopped(int thread) {
  if (thread == 0) {
    store(DEPTH, 1, RELAXED);
    write(ID, 5);
    store(0, 2, RELEASE);
  } else if (load(0, ACQUIRE) == 2 && (load(DEPTH, RELAXED) != 1 || read(ID) != 5)) {
    fail("an old stack of a thread that has stopped");
  }
}
static const Register stopped_model({"held.stopped", "the stack of a stopped thread is the one it stopped with", 2, 4,
                                     2, stopped, nullptr});

// Whether a lock that stands on the stack has gone: ctg_held_pop with ctg_mutex_quick_unlock or
// ctg_rwlock_quick_end_writing, ctg_held_release before glibc's own unlock; ctg_freed_look.
static Site owner_store("freed.owner_store", RELEASE);
static Site writer_store("freed.writer_store", RELEASE);
static Site release_fence("freed.release_fence", RELEASE);
static Site freed_fence("freed.look_fence", ACQUIRE);

enum { TAKEN, FREED_DEPTH, OWNED };

static void look_for_freed() {
  await(TAKEN, 1, ACQUIRE);
  bool is_owned = load(OWNED, RELAXED) == 1;
  fence(freed_fence);
  if (!is_owned && load(FREED_DEPTH, RELAXED) == 1) fail("a lock that was given back is said to be freed while held");
}
static void give_back(Order fence_between, Order owner) {
  store(FREED_DEPTH, 1, RELAXED);
  store(OWNED, 1, RELAXED);
  store(TAKEN, 1, RELEASE);  // the entry was seen a quarter of a second before
  store(FREED_DEPTH, 0, RELAXED);
  fence(fence_between);
  store(OWNED, 0, owner);
}
static void freed_mutex(int thread) { thread == 0 ? give_back(RELAXED, owner_store) : look_for_freed(); }
static const Register freed_mutex_model({"freed.mutex", "an entry that is there has its owner", 2, 3, 0, freed_mutex,
                                         nullptr});
static void freed_rwlock(int thread) { thread == 0 ? give_back(RELAXED, writer_store) : look_for_freed(); }
static const Register freed_rwlock_model({"freed.rwlock", "an entry that is there has its writer", 2, 3, 0,
                                          freed_rwlock, nullptr});
static void freed_by_glibc(int thread) { thread == 0 ? give_back(release_fence, RELAXED) : look_for_freed(); }
static const Register freed_by_glibc_model({"freed.by_glibc", "the same where glibc's function gives it back", 2, 3, 0,
                                            freed_by_glibc, nullptr});
static void freed_before(int thread) { thread == 0 ? give_back(RELAXED, RELAXED) : look_for_freed(); }
static const Register freed_before_model({"freed.no_order_before", "nothing ordered the stack before the owner", 2, 3,
                                          0, freed_before, nullptr,
                                          "a lock that was given back is said to be freed while held"});

}  // namespace memory_order_models
