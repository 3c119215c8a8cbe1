#pragma once
// A state of a model: what each word has held, in modification order, and what each thread has seen of it.

#include <cstdint>
#include <cstring>

#include "explorer.h"

namespace memory_order_models {

constexpr int kThreads = 4, kPlaces = 16, kMessages = 14, kPlains = 4, kSteps = 40, kKept = 8;
constexpr int kScEachThread = 6, kScEvents = kThreads * kScEachThread;
// Of plain memory: how many writes, then how many reads by each thread.
constexpr int kSeen = kPlaces + kPlains * (1 + kThreads);
constexpr int8_t kNoEvent = -1;

/// What has happened before: of each atomic word the newest index, of plain memory the number of accesses.
struct View {
  uint8_t at[kSeen];
  void join(const View &other) {
    for (int i = 0; i < kSeen; ++i)
      if (other.at[i] > at[i]) at[i] = other.at[i];
  }
};

/// A value that a word has held, with what a thread that acquires it learns.
struct Message {
  int value;
  View view;
  bool follows;       // of a read-modify-write: belongs right behind the message before it
  int8_t event;       // of the seq_cst write, or none
  uint32_t sc_reads;  // the seq_cst events that read it
};

enum Kind : uint8_t { LOAD, STORE, ADD, EXCHANGE, COMPARE, AWAIT, CHOOSE };

struct Step {
  Kind kind;
  uint8_t place;
  Order order, failed;
  int value, expected;
};

struct Thread {
  View current, acquirable, released;
  bool has_ended, is_stopped;
  uint8_t sc_count, result_count;
  int results[kSteps];
  Step next;
};

struct State {
  Thread threads[kThreads];
  uint8_t count[kPlaces];
  Message words[kPlaces][kMessages];
  uint8_t writes[kPlains], reads[kPlains][kThreads];
  int plain[kPlains];
  int kept[kKept];
  uint32_t before_sc[kScEvents];  // of each seq_cst event, those that it comes before
};

struct Key {
  uint64_t a, b;
  bool operator==(const Key &other) const { return a == other.a && b == other.b; }
};
struct KeyHash {
  size_t operator()(const Key &key) const { return key.a; }
};

/// Two states with one key are taken for one: 128 bits, so that a mistake in this is not to be expected.
Key key_of(const State &state, const Model &model);

/// Takes a thread's next step in the way `way`; false where there is no such way, or seq_cst forbids it. `ways_end` is
/// set once no further way is left.
bool take_step(State *state, int thread, int way, bool *ways_end, int *result);

void fence_now(Thread *thread, Order order);
/// These return false at a race.
bool write_now(State *state, int thread, int plain, int value);
bool read_now(State *state, int thread, int plain, int *value);

}  // namespace memory_order_models
