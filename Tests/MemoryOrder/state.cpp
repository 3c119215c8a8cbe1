// What the memory may do: the rules of RC11, each step with what the thread has seen. Docs/memory-order.md names what
// they leave out.

#include "state.h"

namespace memory_order_models {

static bool acquires(Order order) { return order == ACQUIRE || order == ACQ_REL || order == SEQ_CST; }
static bool releases(Order order) { return order == RELEASE || order == ACQ_REL || order == SEQ_CST; }

// --- The order of seq_cst accesses ----------------------------------------------------------------------------------

// Adds an edge; false if that closes a cycle.
static bool comes_before(State *state, int first, int second) {
  if (first == second) return true;
  uint32_t reached = 1u << second, last = 0;
  while (reached != last) {
    last = reached;
    for (int i = 0; i < kScEvents; ++i)
      if (reached >> i & 1) reached |= state->before_sc[i];
  }
  if (reached >> first & 1) return false;
  state->before_sc[first] |= 1u << second;
  return true;
}

// The event of a thread's next seq_cst access, behind its own earlier ones.
static int new_event(State *state, int thread) {
  int number = state->threads[thread].sc_count++;
  if (number >= kScEachThread) fail("the explorer has no room for so many seq_cst accesses");
  int event = thread * kScEachThread + number;
  for (int i = 0; i < number; ++i) comes_before(state, thread * kScEachThread + i, event);
  return event;
}

// What a seq_cst read was written by comes before it, and what was written later comes after.
static bool order_read(State *state, int event, int place, int index) {
  Message *word = state->words[place];
  word[index].sc_reads |= 1u << event;
  for (int i = index;; --i) {
    if (word[i].event != kNoEvent && !comes_before(state, word[i].event, event)) return false;
    if (!word[i].follows) break;
  }
  for (int i = index + 1; i < state->count[place]; ++i)
    if (word[i].event != kNoEvent && !comes_before(state, event, word[i].event)) return false;
  return true;
}

static bool order_write(State *state, int event, int place, int index) {
  Message *word = state->words[place];
  for (int i = 0; i < state->count[place]; ++i) {
    if (i == index) continue;
    if (word[i].event != kNoEvent
        && !(i < index ? comes_before(state, word[i].event, event) : comes_before(state, event, word[i].event)))
      return false;
    for (int read = 0; i < index && read < kScEvents; ++read)
      if (word[i].sc_reads >> read & 1 && !comes_before(state, read, event)) return false;
  }
  return true;
}

// --- Reading and writing --------------------------------------------------------------------------------------------

static void see(Thread *thread, int place, int index, const Message &message, Order order) {
  if (thread->current.at[place] < index) thread->current.at[place] = static_cast<uint8_t>(index);
  thread->acquirable.join(thread->current);
  thread->acquirable.join(message.view);
  if (acquires(order)) thread->current.join(message.view);
}

static void shift(View *view, int place, int index) {
  if (view->at[place] >= index) view->at[place]++;
}

// Puts a message into a word's history. `read` is the message that a read-modify-write has read, or null.
static bool insert(State *state, int number, int place, int index, int value, Order order, bool follows, int event) {
  if (state->count[place] == kMessages) {
    fail("the explorer has no room for so many writes");
    return false;
  }
  Message *word = state->words[place];
  Thread *thread = &state->threads[number];
  if (index < state->count[place]) {
    std::memmove(&word[index + 1], &word[index], sizeof *word * static_cast<size_t>(state->count[place] - index));
    for (Thread &other : state->threads) {
      shift(&other.current, place, index);
      shift(&other.acquirable, place, index);
      shift(&other.released, place, index);
    }
    for (int at = 0; at < kPlaces; ++at)
      for (int i = 0; i < state->count[at] + (at == place); ++i)
        if (at != place || i != index) shift(&state->words[at][i].view, place, index);
  }
  state->count[place]++;
  thread->current.at[place] = static_cast<uint8_t>(index);
  thread->acquirable.join(thread->current);
  Message *message = &word[index];
  std::memset(message, 0, sizeof *message);
  message->value = value;
  message->follows = follows;
  message->event = static_cast<int8_t>(event);
  message->view = releases(order) ? thread->current : thread->released;
  message->view.at[place] = static_cast<uint8_t>(index);
  // A release sequence goes on through a read-modify-write, whatever its order.
  if (follows) message->view.join(word[index - 1].view);
  return event == kNoEvent || order_write(state, event, place, index);
}

static bool take_load(State *state, int number, const Step &step, int index, Order order, int *result) {
  const Message message = state->words[step.place][index];
  see(&state->threads[number], step.place, index, message, order);
  *result = message.value;
  return order != SEQ_CST || order_read(state, new_event(state, number), step.place, index);
}

static bool take_change(State *state, int number, const Step &step, int index, int value, int *result) {
  bool is_last = index + 1 == state->count[step.place];
  if (!is_last && state->words[step.place][index + 1].follows) return false;
  *result = state->words[step.place][index].value;
  int event = step.order == SEQ_CST ? new_event(state, number) : kNoEvent;
  see(&state->threads[number], step.place, index, state->words[step.place][index], step.order);
  if (event != kNoEvent && !order_read(state, event, step.place, index)) return false;
  return insert(state, number, step.place, index + 1, value, step.order, true, event);
}

bool take_step(State *state, int number, int way, bool *ways_end, int *result) {
  const Step step = state->threads[number].next;
  *result = way;
  if (step.kind == CHOOSE) return !(*ways_end = way >= step.value);
  int index = state->threads[number].current.at[step.place] + way;
  *ways_end = index >= state->count[step.place];
  if (*ways_end) return false;
  const Message &found = state->words[step.place][index];
  switch (step.kind) {
    case LOAD: return take_load(state, number, step, index, step.order, result);
    case AWAIT: return found.value == step.value && take_load(state, number, step, index, step.order, result);
    case ADD: return take_change(state, number, step, index, found.value + step.value, result);
    case EXCHANGE: return take_change(state, number, step, index, step.value, result);
    case COMPARE:
      if (found.value != step.expected) return take_load(state, number, step, index, step.failed, result);
      return take_change(state, number, step, index, step.value, result);
    default: break;
  }
  bool splits = index + 1 < state->count[step.place] && state->words[step.place][index + 1].follows;
  int event = step.order == SEQ_CST && !splits ? new_event(state, number) : kNoEvent;
  return !splits && insert(state, number, step.place, index + 1, step.value, step.order, false, event);
}

void fence_now(Thread *thread, Order order) {
  if (order == SEQ_CST) fail("the explorer knows no seq_cst fences");
  if (acquires(order)) thread->current.join(thread->acquirable);
  if (releases(order)) thread->released.join(thread->current);
}

// --- Plain memory ---------------------------------------------------------------------------------------------------

static uint8_t *writes_seen(View *view, int plain) { return &view->at[kPlaces + plain * (1 + kThreads)]; }
static uint8_t *reads_seen(View *view, int plain, int by) {
  return &view->at[kPlaces + plain * (1 + kThreads) + 1 + by];
}

bool write_now(State *state, int number, int plain, int value) {
  View *view = &state->threads[number].current;
  if (*writes_seen(view, plain) != state->writes[plain]) return false;
  for (int by = 0; by < kThreads; ++by)
    if (*reads_seen(view, plain, by) != state->reads[plain][by]) return false;
  *writes_seen(view, plain) = ++state->writes[plain];
  state->threads[number].acquirable.join(*view);
  state->plain[plain] = value;
  return true;
}

bool read_now(State *state, int number, int plain, int *value) {
  View *view = &state->threads[number].current;
  if (*writes_seen(view, plain) != state->writes[plain]) return false;
  // Reads behind the last write count only once: what follows must have seen that there was one.
  *reads_seen(view, plain, number) = ++state->reads[plain][number];
  state->threads[number].acquirable.join(*view);
  *value = state->plain[plain];
  return true;
}

// --- Keys -----------------------------------------------------------------------------------------------------------

static void mix(Key *key, const void *bytes, size_t size) {
  const uint8_t *at = static_cast<const uint8_t *>(bytes);
  while (size > 0) {
    uint64_t word = 0;
    size_t part = size < 8 ? size : 8;
    std::memcpy(&word, at, part);
    key->a = (key->a ^ word) * 0xd6e8feb86659fd93u;
    key->a ^= key->a >> 32;
    key->b = (key->b + word) * 0x9e3779b97f4a7c15u;
    key->b ^= key->b >> 29;
    at += part;
    size -= part;
  }
}

Key key_of(const State &state, const Model &model) {
  Key key = {1, 2};
  for (int i = 0; i < model.threads; ++i) {
    const Thread &thread = state.threads[i];
    mix(&key, &thread.current, sizeof thread.current * 3);
    const int ends = thread.has_ended | thread.is_stopped << 1 | thread.result_count << 8;
    mix(&key, &ends, sizeof ends);
    mix(&key, thread.results, sizeof *thread.results * thread.result_count);
  }
  for (int place = 0; place < model.atomics; ++place) {
    mix(&key, &state.count[place], 1);
    for (int i = 0; i < state.count[place]; ++i) mix(&key, &state.words[place][i], sizeof(Message));
  }
  mix(&key, state.writes, sizeof state.writes + sizeof state.reads);
  mix(&key, state.plain, sizeof state.plain);
  mix(&key, state.before_sc, sizeof state.before_sc);
  return key;
}

}  // namespace memory_order_models
