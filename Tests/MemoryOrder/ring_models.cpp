// The breadcrumb ring: record/ring.c (write_record) and record/ring_reader.c (take, ck_ring_reader_init, ck_ring_next).
//
// A record here has three words: its token, the checksum and one word of payload. The checksum is one that never fails:
// a record is whole if all its words are of the record that the token names.

#include "explorer.h"

namespace memory_order_models {

static Site token_store("ring.token_store", RELEASE);
static Site token_load("ring.token_load", ACQUIRE);
static Guard token_position("ring.token_position");
static Guard checksum("ring.checksum");

enum { POSITION, WORDS, RECORD_WORDS = 3 };

static int word_of(int record, int word, int records) { return WORDS + (record % records) * RECORD_WORDS + word; }

// write_record: reserves, writes all words but the first, and the token last. Record n has the value n + 1.
static void write_record(int records) {
  int record = add(POSITION, 1, RELAXED);
  store(word_of(record, 2, records), record + 1, RELAXED);
  store(word_of(record, 1, records), record + 1, RELAXED);
  store(word_of(record, 0, records), record + 1, token_store);
}

enum Found { NOT_THERE, NOT_WHOLE, OLDER_WORDS, WHOLE };

// take: what there is at a position, and whether a record that is not whole has words from before it was written.
static Found take_record(int record, int records) {
  int token = load(word_of(record, 0, records), token_load);
  if (token == 0 || (token_position && token != record + 1)) return NOT_THERE;
  int sum = load(word_of(record, 1, records), RELAXED);
  int payload = load(word_of(record, 2, records), RELAXED);
  bool is_whole = sum == token && payload == token;
  if (checksum && !is_whole) return sum < token || payload < token ? OLDER_WORDS : NOT_WHOLE;
  if (!is_whole) fail("a torn record is taken for a whole one");
  if (token != record + 1) fail("a record of another lap is taken");
  return WHOLE;
}

// ck_ring_reader_init and ck_ring_next: all positions that may still be there.
static void read_all(int records, bool may_stall) {
  int end = load(POSITION, RELAXED);
  for (int record = end > records ? end - records : 0; record < end; ++record)
    if (take_record(record, records) == OLDER_WORDS && !may_stall) fail("a record that has its token is lost");
}

// Two threads record, a third reads at any moment: a crash stops the writers anywhere, so they may never go on.
static void two_writers(int thread) {
  for (int i = 0; i < 2 - thread; ++i) write_record(4);
  if (thread == 2) read_all(4, false);
}
static const Register two_writers_model({"ring.two_writers", "a record whose token is seen is whole", 3, 13, 0,
                                         two_writers, nullptr});

// One thread goes around the ring of two records; the reader may be a handler on that thread, or on another.
static void around(int thread) {
  for (int i = 0; thread == 0 && i < 4; ++i) write_record(2);
  if (thread == 1) read_all(2, false);
}
static const Register around_model({"ring.around", "a record is whole, or another lap has begun to overwrite it", 2, 7,
                                    0, around, nullptr});

// A thread that stands still for a whole lap writes over the words of a newer record: that one is lost, and none torn.
static void stalled(int thread) { thread < 2 ? write_record(1) : read_all(1, true); }
static const Register stalled_model({"ring.stalled", "no torn record is taken, though a writer stands still for a lap",
                                     3, 4, 0, stalled, nullptr});

// Two threads, two records each, in a ring of two: each overtakes the other.
static void crowded(int thread) {
  for (int i = 0; thread < 2 && i < 2; ++i) write_record(2);
  if (thread == 2) read_all(2, true);
}
static const Register crowded_model({"ring.crowded", "no torn record is taken while two threads go around", 3, 7, 0,
                                     crowded, nullptr});

// What was recorded before the program's own synchronisation is found by the thread that crashes behind it.
static void seen(int thread) {
  const int flag = 7;
  if (thread == 0) {
    write_record(2);
    store(flag, 1, RELEASE);
  } else {
    await(flag, 1, ACQUIRE);
    if (load(POSITION, RELAXED) != 1) fail("the reader does not know of the record");
    if (take_record(0, 2) != WHOLE) fail("a record from before the crash is lost");
  }
}
static const Register seen_model({"ring.seen", "a breadcrumb from before the crash is found", 2, 8, 0, seen, nullptr});

// --- The region around it: CProcessHooks/region_storage.c and record/region.c ---------------------------------------

static Site state_store("region.state_store", RELEASE);
static Site state_load("region.state_load", ACQUIRE);
static Site state_found("region.state_found", ACQUIRE);
static Site magic_store("region.magic_store", RELEASE);
static Site magic_load("region.magic_load", ACQUIRE);

enum { STATE, GENERATION, SALT = 0, MAGIC = 1, HEADER = 0, PLAIN_GENERATION = 1, BUSY = 9 };

// cph_region_enter and cph_region_enter_slow, in a forked child: the first thread replaces the parent's memory.
static bool enter_region(bool is_mended) {
  int state = load(STATE, state_load);
  if (state != 0 && state != BUSY) return true;
  state = 0;
  if (!compare_exchange(STATE, &state, BUSY, RELAXED, state_found)) {
    if (state != BUSY) return true;
    return (is_mended ? load(GENERATION, RELAXED) : read(PLAIN_GENERATION)) == 9;
  }
  write(HEADER, 1);
  is_mended ? store(GENERATION, 2, RELAXED) : write(PLAIN_GENERATION, 2);
  store(STATE, 2, state_store);
  return true;
}
static void forked(int) {
  if (enter_region(true) && read(HEADER) != 1) fail("the parent's memory is used");
}
static const Register forked_model({"region.forked", "a child uses its own memory only", 2, 2, 1, forked, nullptr});

static void forked_before(int) { enter_region(false); }
static const Register forked_before_model({"region.plain_generation_before", "the word `generation` was plain", 2, 1, 2,
                                           forked_before, nullptr, "a race on plain memory"});

// ck_region_ready with fill_header, then ck_region_view_bytes: first the salt, then the header's fields and its magic.
static void header(int) {
  int none = 0;
  if (load(SALT, RELAXED) == 0 && compare_exchange(SALT, &none, 5, RELAXED, RELAXED)) {
    write(HEADER, 1);
    store(MAGIC, 1, magic_store);
  }
  if (load(SALT, RELAXED) != 5) fail("a record is salted with another salt");
  if (load(MAGIC, magic_load) == 1 && read(HEADER) != 1) fail("a header that is not filled");
}
static const Register header_model({"region.header", "a thread that sees the magic sees the header", 2, 2, 1, header,
                                    nullptr});

// --- The tables' lock: cph_region_lock_tables, cph_region_unlock_tables ---------------------------------------------

static Site tables_lock("tables.lock", ACQUIRE);
static Site tables_unlock("tables.unlock", RELEASE);

static void tables(int) {
  int unlocked = 0;
  if (!compare_exchange(0, &unlocked, 1, tables_lock, RELAXED)) return;
  write(0, read(0) + 1);
  store(0, 0, tables_unlock);
}
static const Register tables_model({"tables.lock_and_unlock", "one writer at a time changes the tables", 3, 1, 1,
                                    tables, nullptr});

}  // namespace memory_order_models
