// The tables beside the ring: record/attribute_table.c, record/context_table.c and CProcessHooks/metric_slots.c.

#include "explorer.h"

namespace memory_order_models {

// --- Attributes: ck_attribute_entry_write, ck_attribute_entry_read --------------------------------------------------

static Site turn_store("attribute.turn_store", RELEASE);
static Site turn_load("attribute.turn_load", ACQUIRE);
static Site write_fence("attribute.write_fence", RELEASE);
static Site read_fence("attribute.read_fence", ACQUIRE);
static Guard turn_again("attribute.turn_again");

enum { TURN, ENTRIES };

static int entry_word(int turn, int word) { return ENTRIES + (turn & 1) * 2 + word; }

static void write_entry() {
  int turn = load(TURN, RELAXED) + 1;
  fence(write_fence);
  for (int word = 0; word < 2; ++word) store(entry_word(turn, word), turn, RELAXED);
  store(TURN, turn, turn_store);
}

// The checksum is left out here: what it would refuse is an entry that exists and is not found.
static void read_entry() {
  int turn = load(TURN, turn_load);
  if (turn == 0) return;
  int key = load(entry_word(turn, 0), RELAXED), value = load(entry_word(turn, 1), RELAXED);
  fence(read_fence);
  if (load(TURN, RELAXED) != turn && turn_again) return;
  if (key != value) fail("a key with another key's value");
  if (key != turn) fail("an entry of another turn");
}

static void attribute(int thread) {
  for (int i = 0; thread == 0 && i < 4; ++i) write_entry();
  if (thread == 1) read_entry();
}
static const Register attribute_model({"attribute.write_and_read", "an entry that is taken is whole, and of its turn",
                                       2, 5, 0, attribute, nullptr});

// --- Contexts: ck_context_open, ck_context_close, ck_context_read; one slot where the code has 4,096 -----------------

static Site taken_lock("context.taken_lock", ACQUIRE);
static Site taken_unlock("context.taken_unlock", RELEASE);
static Site slot_fence("context.slot_fence", RELEASE);
static Site slot_number_store("context.number_store", RELEASE);
static Site slot_number_load("context.number_load", ACQUIRE);
static Site copy_fence("context.copy_fence", ACQUIRE);
static Guard number_again("context.number_again");

enum { TAKEN, NUMBER, CONTEXT_NAME, CONTEXT_KEYS };

static void open_and_close(int number) {
  int expected = 0;
  if (!compare_exchange(TAKEN, &expected, 1, taken_lock, RELAXED)) return;
  store(NUMBER, 0, RELAXED);
  fence(slot_fence);
  store(CONTEXT_NAME, number, RELAXED);
  store(CONTEXT_KEYS, number, RELAXED);
  store(NUMBER, number, slot_number_store);
  add(TAKEN, -1, taken_unlock);
}

static void read_context(int wanted) {
  if (load(NUMBER, slot_number_load) != wanted) return;
  int name = load(CONTEXT_NAME, RELAXED), keys = load(CONTEXT_KEYS, RELAXED);
  fence(copy_fence);
  if (load(NUMBER, RELAXED) != wanted && number_again) return;
  if (name != wanted || keys != wanted) fail("the name or the keys of another context");
}

// A task of one thread, then one of another, in the same slot. The reader knows the first one's number.
static void context(int thread) { thread < 2 ? open_and_close(thread + 1) : read_context(1); }
static const Register context_model({"context.open_and_read", "a context that is read is whole, and the one asked for",
                                     3, 4, 0, context, nullptr});

// --- Metrics: cph_metric_update, read_newest_value; two copies where the code has four -------------------------------

static Site number_store("metric.number_store", RELEASE);
static Site number_load("metric.number_load", ACQUIRE);
static Site registered_store("metric.registered_store", RELEASE);
static Site registered_load("metric.registered_load", ACQUIRE);
static Guard value_checksum("metric.checksum");

enum { UPDATES, COPIES, COPY_COUNT = 2, NAME = 0 };

static int copy_word(int copy, int word) { return COPIES + copy * 3 + word; }

static void update() {
  int turn = add(UPDATES, 1, RELAXED) + 1, copy = turn % COPY_COUNT;
  store(copy_word(copy, 1), turn, RELAXED);
  store(copy_word(copy, 2), turn, RELAXED);
  store(copy_word(copy, 0), turn, number_store);
}

static void read_copies(bool may_stall) {
  for (int copy = 0; copy < COPY_COUNT; ++copy) {
    int turn = load(copy_word(copy, 0), number_load);
    int value = load(copy_word(copy, 1), RELAXED), sum = load(copy_word(copy, 2), RELAXED);
    bool is_whole = value == turn && sum == turn;
    if (!is_whole && !value_checksum) fail("a torn value is taken for a whole one");
    if ((value < turn || sum < turn) && !may_stall) fail("a value that has its number is lost");
  }
}

static void one_updates(int thread) {
  for (int i = 0; thread == 0 && i < 4; ++i) update();
  if (thread == 1) read_copies(false);
}
static const Register one_updates_model({"metric.one_updates", "a value whose number is seen is whole", 2, 7, 0,
                                         one_updates, nullptr});
static void two_update(int thread) { thread < 2 ? update() : read_copies(true); }
static const Register two_update_model({"metric.two_update", "no torn value is taken", 3, 7, 0, two_update, nullptr});

// cph_metric_register and cph_metric_read_table: the name, then the word that says that it is there.
static void registering(int thread) {
  if (thread == 0) {
    write(NAME, 1);
    store(0, 1, registered_store);
  } else if (load(0, registered_load) != 0 && read(NAME) != 1) {
    fail("a metric without its name");
  }
}
static const Register registering_model({"metric.registering", "a metric that is seen has its name", 2, 1, 1,
                                         registering, nullptr});

// The whole slot was cleared, its atomic word too, while readers looked at that.
static void cleared_before(int thread) { thread == 0 ? write(NAME, 0) : static_cast<void>(read(NAME)); }
static const Register cleared_before_model({"metric.cleared_before", "a plain write of the word that readers look at",
                                            2, 0, 1, cleared_before, nullptr, "a race on plain memory"});

}  // namespace memory_order_models
