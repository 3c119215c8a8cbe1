#pragma once
// What a model is written with: accesses of C11, each a step of its thread, and the orders that a run can weaken.
//
// A thread of a model is a function of its number. The explorer runs it again and again, with the results that its
// earlier steps had, so it must depend on nothing else, and hold nothing that needs a destructor.

#include <cstdint>
#include <vector>

namespace memory_order_models {

enum Order { RELAXED, ACQUIRE, RELEASE, ACQ_REL, SEQ_CST };

/// An order that the code needs: a run may weaken it.
struct Site {
  const char *name;  // group.object.access
  Order needed, now;
  Site(const char *name, Order needed);
  operator Order() const { return now; }
};

/// A check in the code, such as a checksum: a run may leave it out.
struct Guard {
  const char *name;
  bool is_on = true;
  explicit Guard(const char *name);
  operator bool() const { return is_on; }
};

struct Model {
  const char *name;   // group.case
  const char *shows;  // what is promised
  int threads, atomics, plains;
  void (*run)(int thread);
  void (*end)();                  // when no thread can go on; may be null
  const char *expects = nullptr;  // what it fails with, if it shows a mistake or a litmus test; else null
};

/// All that registered themselves.
std::vector<Site *> &sites();
std::vector<Guard *> &guards();
std::vector<Model> &models();
struct Register {
  explicit Register(const Model &model) { models().push_back(model); }
};

// --- Steps. `place` counts the atomic words of a model from 0, which all begin with 0 -----------------------------

int load(int place, Order order);
void store(int place, int value, Order order);
/// These give back what was there before.
int add(int place, int value, Order order);
int exchange(int place, int value, Order order);
/// The strong one. `expected` gets what was found.
bool compare_exchange(int place, int *expected, int desired, Order done, Order failed);
/// A loop that waits for a value; a thread for which none comes stays here.
int await(int place, int value, Order order);
void fence(Order order);  // RELAXED: none
/// Plain memory: an access that no order separates from another thread's is a failure.
void write(int plain, int value);
int read(int plain);
/// Each of 0 to count - 1 is tried.
int choose(int count);

/// Values that outlive the threads, for Model::end.
void keep(int index, int value);
int kept(int index);
/// For Model::end: whether a thread has come to its end.
bool has_ended(int thread);

void fail(const char *what);
/// The thread goes no further.
void stop();

// --- Running ------------------------------------------------------------------------------------------------------

struct Result {
  const char *failure;  // null if there was none
  uint64_t states;
};
Result explore(const Model &model);
/// Prints the steps that led to the last failure.
void print_failure(const Model &model);

}  // namespace memory_order_models
