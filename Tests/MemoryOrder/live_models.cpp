// Captures of a process that goes on (threads/live_turn.c, threads/live_threads.c), and what one part publishes for
// another (CProcessHooks/section_providers.c and process_threads.c, CReportParts/crash_capture.c).

#include "explorer.h"

namespace memory_order_models {

// --- Whose turn it is: ck_live_take_turn, ck_live_end_turn, ck_live_make_way -----------------------------------------

static Site working_store("turn.working_store", SEQ_CST);
static Site working_clear("turn.working_clear", RELEASE);
static Site working_load("turn.working_load", SEQ_CST);
static Site crashing_store("turn.crashing_store", SEQ_CST);
static Site crashing_load("turn.crashing_load", SEQ_CST);

enum { WORKING, CRASHING, UNWINDER = 0 };

static void turn(int thread) {
  if (thread == 0) {
    store(WORKING, 1, working_store);
    if (load(CRASHING, crashing_load) == 0) write(UNWINDER, 1);
    store(WORKING, 0, working_clear);
  } else {
    store(CRASHING, 1, crashing_store);
    await(WORKING, 0, working_load);
    write(UNWINDER, 2);
  }
}
static const Register turn_model({"turn.take_and_make_way", "a crash and a capture do not unwind together", 2, 2, 1,
                                  turn, nullptr});

// --- Copies of running threads' stacks: give_sample; ask, take_answer, copy_from_outside -----------------------------

static Site given_store("sample.given_store", RELEASE);
static Site taken_load("sample.taken_load", ACQUIRE);
static Site reused_load("sample.reused_load", ACQUIRE);

enum { SLOT, SIGNAL, COPY = 0, FREE = 0, ASKED, COMING, GIVEN };

static void sample(int thread) {
  if (thread == 0) {
    await(SIGNAL, 1, ACQUIRE);
    int expected = ASKED;
    if (!compare_exchange(SLOT, &expected, COMING, RELAXED, RELAXED)) return;
    write(COPY, 1);
    store(SLOT, GIVEN, given_store);
    return;
  }
  // The kernel orders what is before a signal and what its handler does.
  store(SLOT, ASKED, RELAXED);
  store(SIGNAL, 1, RELEASE);
  int asked = ASKED;
  if (!compare_exchange(SLOT, &asked, FREE, RELAXED, RELAXED) && load(SLOT, taken_load) == GIVEN && read(COPY) != 1)
    fail("the stack of another time");
  // The next look: a thread that was very late may be at work there.
  if (load(SLOT, reused_load) != COMING) write(COPY, 2);
}
static const Register sample_model({"sample.give_and_take", "one thread at a time has a slot's memory", 2, 2, 1, sample,
                                    nullptr});

// --- What is published once ------------------------------------------------------------------------------------------

// One thread fills a structure and puts its address into a word; others follow it.
#define PUBLISHED(NAME, STORED_BY, WHAT)                    \
  static Site NAME##_store(#NAME ".store", RELEASE);        \
  static Site NAME##_load(#NAME ".load", ACQUIRE);          \
  static void NAME(int thread) {                            \
    if (thread == 0) {                                      \
      write(0, 1);                                          \
      STORED_BY;                                            \
    } else if (load(0, NAME##_load) == 1 && read(0) != 1) { \
      fail("a structure that is not filled");               \
    }                                                       \
  }                                                         \
  static const Register NAME##_model({#NAME ".publish", WHAT, 2, 1, 1, NAME, nullptr});

#define BY_EXCHANGE(SITE) \
  int none = 0;           \
  compare_exchange(0, &none, 1, SITE, RELAXED)

PUBLISHED(provider, BY_EXCHANGE(provider_store), "a section provider that is found is filled")
PUBLISHED(observer, BY_EXCHANGE(observer_store), "a thread observer that is found is filled")
PUBLISHED(lent, store(0, 1, lent_store), "a crash capture that is lent is filled")

// --- The spare file: ck_spare_make, ck_spare_take -------------------------------------------------------------------

static Site spare_store_fence("spare.store_fence", RELEASE);
static Site spare_load_fence("spare.load_fence", ACQUIRE);

enum { DESCRIPTOR, SPARE_NAME = 0 };

static void make_spare(Order between) {
  write(SPARE_NAME, 1);
  fence(between);
  store(DESCRIPTOR, 1, RELAXED);
}
static void take_spare(Order between) {
  if (load(DESCRIPTOR, RELAXED) == 0) return;
  fence(between);
  if (read(SPARE_NAME) != 1) fail("a file without its name");
}
static void spare(int thread) { thread == 0 ? make_spare(spare_store_fence) : take_spare(spare_load_fence); }
static const Register spare_model({"spare.make_and_take", "a spare file that is found has its name", 2, 1, 1, spare,
                                   nullptr});

static void spare_before(int thread) { thread == 0 ? make_spare(RELAXED) : take_spare(RELAXED); }
static const Register spare_before_model({"spare.no_fences_before", "neither side had a fence", 2, 1, 1, spare_before,
                                          nullptr, "a race on plain memory"});

}  // namespace memory_order_models
