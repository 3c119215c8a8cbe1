// Every way that a model can go: each thread's next step, with each value that it may find, from each state once.

#include "explorer.h"

#include <csetjmp>
#include <cstdio>
#include <unordered_set>

#include "state.h"

namespace memory_order_models {

std::vector<Site *> &sites() {
  static std::vector<Site *> all;
  return all;
}
std::vector<Guard *> &guards() {
  static std::vector<Guard *> all;
  return all;
}
std::vector<Model> &models() {
  static std::vector<Model> all;
  return all;
}
Site::Site(const char *name, Order needed) : name(name), needed(needed), now(needed) { sites().push_back(this); }
Guard::Guard(const char *name) : name(name) { guards().push_back(this); }

// What runs at this moment.
static State *state;
static int running;
static int replayed;
static const char *failure;
static jmp_buf leave;

static struct {
  int thread;
  Step step;
  int result;
} path[kThreads * kSteps];
static int path_length, failed_length;

void fail(const char *what) {
  if (!failure) failure = what;
}

void stop() {
  state->threads[running].is_stopped = true;
  longjmp(leave, 1);
}

// --- Steps ----------------------------------------------------------------------------------------------------------

static void remember(Thread *thread, int result) {
  if (thread->result_count == kSteps) {
    fail("the explorer has no room for so many steps");
    longjmp(leave, 1);
  }
  thread->results[thread->result_count++] = result;
}

// The result that the step had, or a way out if it is still to be taken.
static int take(Kind kind, int place, Order order, Order failed, int value, int expected) {
  Thread *thread = &state->threads[running];
  if (replayed < thread->result_count) return thread->results[replayed++];
  thread->next = {kind, static_cast<uint8_t>(place), order, failed, value, expected};
  longjmp(leave, 1);
}

int load(int place, Order order) { return take(LOAD, place, order, order, 0, 0); }
void store(int place, int value, Order order) { take(STORE, place, order, order, value, 0); }
int add(int place, int value, Order order) { return take(ADD, place, order, order, value, 0); }
int exchange(int place, int value, Order order) { return take(EXCHANGE, place, order, order, value, 0); }
int await(int place, int value, Order order) { return take(AWAIT, place, order, order, value, 0); }
int choose(int count) { return take(CHOOSE, 0, RELAXED, RELAXED, count, 0); }

bool compare_exchange(int place, int *expected, int desired, Order done, Order failed) {
  int found = take(COMPARE, place, done, failed, desired, *expected);
  bool is_done = found == *expected;
  *expected = found;
  return is_done;
}

// These concern the thread alone, so they are taken at once: the order in which threads take them changes nothing.
static bool is_replayed(int *result) {
  Thread *thread = &state->threads[running];
  if (replayed == thread->result_count) return false;
  *result = thread->results[replayed++];
  return true;
}

static void done(int result) {
  remember(&state->threads[running], result);
  replayed++;
  if (failure) longjmp(leave, 1);
}

void fence(Order order) {
  int result = 0;
  if (is_replayed(&result)) return;
  fence_now(&state->threads[running], order);
  done(0);
}

void write(int plain, int value) {
  int result = 0;
  if (is_replayed(&result)) return;
  if (!write_now(state, running, plain, value)) fail("a race on plain memory");
  done(0);
}

int read(int plain) {
  int result = 0;
  if (is_replayed(&result)) return result;
  if (!read_now(state, running, plain, &result)) fail("a race on plain memory");
  done(result);
  return result;
}

void keep(int index, int value) { state->kept[index] = value; }
int kept(int index) { return state->kept[index]; }
bool has_ended(int thread) { return state->threads[thread].has_ended; }

// --- Exploring ------------------------------------------------------------------------------------------------------

// Runs a thread up to its next step.
static void advance(const Model &model, State *at, int thread) {
  state = at;
  running = thread;
  replayed = 0;
  if (setjmp(leave) == 0) {
    model.run(thread);
    state->threads[thread].has_ended = true;
  }
}

static std::unordered_set<Key, KeyHash> *known;

static void visit(const Model &model, const State &from) {
  if (!known->insert(key_of(from, model)).second) return;
  bool goes_on = false;
  for (int thread = 0; thread < model.threads && !failure; ++thread) {
    if (from.threads[thread].has_ended || from.threads[thread].is_stopped) continue;
    bool ways_end = false;
    for (int way = 0; !ways_end && !failure; ++way) {
      State next = from;
      int result = 0;
      state = &next;
      if (!take_step(&next, thread, way, &ways_end, &result)) continue;
      goes_on = true;
      path[path_length++] = {thread, from.threads[thread].next, result};
      running = thread;
      next.threads[thread].results[next.threads[thread].result_count++] = result;
      if (next.threads[thread].result_count == kSteps) fail("the explorer has no room for so many steps");
      if (!failure) advance(model, &next, thread);
      if (failure && !failed_length) failed_length = path_length;
      if (!failure) visit(model, next);
      path_length--;
    }
  }
  if (goes_on || failure || !model.end) return;
  State last = from;
  state = &last;
  model.end();
  if (failure) failed_length = path_length;
}

Result explore(const Model &model) {
  std::unordered_set<Key, KeyHash> all;
  known = &all;
  failure = nullptr;
  path_length = failed_length = 0;
  State first;
  std::memset(static_cast<void *>(&first), 0, sizeof first);
  for (int place = 0; place < kPlaces; ++place) {
    first.count[place] = 1;
    first.words[place][0].event = kNoEvent;
  }
  for (int thread = 0; thread < model.threads && !failure; ++thread) advance(model, &first, thread);
  if (!failure) visit(model, first);
  return {failure, all.size()};
}

void print_failure(const Model &model) {
  static const char *const kinds[] = {"load", "store", "add", "exchange", "compare_exchange", "await", "choose"};
  static const char *const orders[] = {"relaxed", "acquire", "release", "acq_rel", "seq_cst"};
  std::printf("%s: %s\n", model.name, failure);
  for (int i = 0; i < failed_length; ++i) {
    const Step &step = path[i].step;
    std::printf("  thread %d: %s", path[i].thread, kinds[step.kind]);
    if (step.kind != CHOOSE) std::printf(" word %d, %s", step.place, orders[step.order]);
    if (step.kind == STORE || step.kind == EXCHANGE || step.kind == COMPARE) std::printf(", puts %d", step.value);
    if (step.kind != STORE) std::printf(", finds %d", path[i].result);
    std::printf("\n");
  }
}

}  // namespace memory_order_models
