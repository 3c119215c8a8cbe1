// Report hand-over: death/handler.c, threads/thread_stopping.c with thread_waiting.c and thread_facts.c.

#include "explorer.h"

namespace memory_order_models {

enum { NONE, COMING, GIVEN, CLOSED };

// --- Who captures: capture, is_reported ------------------------------------------------------------------------------

static Site reported_store("handover.reported_store", RELEASE);
static Site reported_load("handover.reported_load", ACQUIRE);

enum { OWNER, REPORTED, REPORT = 0 };

static void owners(int thread) {
  int before = load(OWNER, RELAXED);
  if (before == 0 && compare_exchange(OWNER, &before, thread + 1, RELAXED, RELAXED)) {
    write(REPORT, 1);
    store(REPORTED, 1, reported_store);
  } else if (load(REPORTED, reported_load) == 1 && read(REPORT) != 1) {
    fail("the process ends before its report is there");
  }
}
static const Register owners_model({"handover.owner", "one thread makes the report; others die behind it", 3, 2, 1,
                                    owners, nullptr});

// --- A thread's answer: stop; ck_thread_has_stopped, ck_thread_read_syscall ------------------------------------------

static Site answer_store("handover.answer_store", RELEASE);
static Site answer_load("handover.answer_load", ACQUIRE);

enum { ANSWER, REGISTERS = 0, NAME };

static void answers_once(bool is_mended) {
  int open = NONE;
  if (!compare_exchange(ANSWER, &open, COMING, RELAXED, RELAXED)) return;
  write(REGISTERS, 1);
  if (!is_mended) write(NAME, 1);
  store(ANSWER, GIVEN, answer_store);
}
// The capturing thread reads what was given; or it takes the record from outside, by its name and by its registers.
static void collects(bool is_mended) {
  if (load(ANSWER, answer_load) == GIVEN) {
    if (read(REGISTERS) != 1) fail("old registers of a thread that has stopped");
    return;
  }
  if (!is_mended) write(NAME, 2);
  int open = NONE;
  if (compare_exchange(ANSWER, &open, CLOSED, RELAXED, RELAXED)) write(REGISTERS, 2);
}
static void answer(int thread) { thread == 0 ? answers_once(true) : collects(true); }
static const Register answer_model({"handover.answer", "one thread at a time writes a record, and all of it is read", 2,
                                    1, 2, answer, nullptr});

static void name_before(int thread) { thread == 0 ? answers_once(false) : collects(false); }
static const Register name_before_model({"handover.name_before", "both wrote the name of a thread that was late", 2, 1,
                                         2, name_before, nullptr, "a race on plain memory"});

// --- Threads that crash too: ck_threads_walk_in, ck_thread_take_walk_in ----------------------------------------------

static Site tid_store("handover.tid_store", RELEASE);
static Site tid_load("handover.tid_load", ACQUIRE);

enum { WALKED_IN, SLOTS };

static void walk_ins(int thread) {
  if (thread < 2) {
    int slot = add(WALKED_IN, 1, RELAXED);
    write(slot, thread + 1);
    store(SLOTS + slot, thread + 1, tid_store);
    return;
  }
  int count = load(WALKED_IN, RELAXED);
  for (int slot = 0; slot < count; ++slot) {
    int tid = load(SLOTS + slot, tid_load);
    if (tid != 0 && read(slot) != tid) fail("the fault of another thread");
  }
}
static const Register walk_ins_model({"handover.walk_ins", "a thread that walked in has its own fault", 3, 3, 2,
                                      walk_ins, nullptr});

// --- Sleeping until threads have answered: answer, ck_threads_sleep_until --------------------------------------------

static Site count_add("handover.count_add", SEQ_CST);
static Site count_load("handover.count_load", SEQ_CST);
static Site awaited_store("handover.awaited_store", SEQ_CST);
static Site awaited_load("handover.awaited_load", SEQ_CST);

enum { ANSWERS, AWAITED, WAKE, ANSWERS_OF };

static void sleeping(int thread) {
  const int target = 2;
  if (thread < target) {
    store(ANSWERS_OF + thread, GIVEN, RELEASE);
    int count = add(ANSWERS, 1, count_add) + 1, awaited = load(AWAITED, awaited_load);
    if (awaited != 0 && count >= awaited) store(WAKE, 1, RELEASE);
    return;
  }
  store(AWAITED, target, awaited_store);
  int count = load(ANSWERS, count_load);
  if (count < target) {
    await(WAKE, 1, ACQUIRE);
    count = load(ANSWERS, count_load);
  }
  if (count < target) fail("woken for nothing");
  for (int i = 0; i < target; ++i)
    if (load(ANSWERS_OF + i, RELAXED) != GIVEN) fail("an answer that is counted is not found");
}
static void sleeping_ends() {
  if (!has_ended(2)) fail("all have answered, and the capturing thread sleeps");
}
static const Register sleeping_model({"handover.sleeping", "the last answer wakes the capturing thread", 3, 5, 0,
                                      sleeping, sleeping_ends});

// --- Letting go: run_backtracer and ck_threads_release; park and die -------------------------------------------------

static Site released_store("handover.released_store", RELEASE);
static Site released_load("handover.released_load", ACQUIRE);

enum { RELEASED, CHAINING };

static void letting_go(int thread) {
  if (thread == 0) {
    store(CHAINING, 1, RELAXED);
    store(RELEASED, 1, released_store);
  } else {
    await(RELEASED, 1, released_load);
    if (load(CHAINING, RELAXED) != 1) fail("a thread ends the process while the runtime's backtracer is at work");
  }
}
static const Register letting_go_model({"handover.letting_go", "a thread that goes on knows of the backtracer", 2, 2, 0,
                                        letting_go, nullptr});

}  // namespace memory_order_models
