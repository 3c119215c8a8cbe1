// The same rows for abseil's mutex; a second argument of "off" leaves its detection of deadlocks out.

#include <cstring>
#include <memory>

#include "absl/synchronization/mutex.h"
#include "locks.h"

static absl::Mutex outer, inner, shared;

template <typename Body>
static void time(const locks_size &size, const char *name, Body body) {
  double best = 1e18;
  for (long round = 0; round < size.rounds; ++round) {
    double begun = locks_now();
    for (long i = 0; i < size.pairs; ++i) body();
    double spent = (locks_now() - begun) / (double)size.pairs;
    if (spent < best) best = spent;
  }
  locks_print(name, best);
}

static void weigh(long count) {
  auto locks = std::make_unique<absl::Mutex[]>((size_t)count);
  double before = locks_memory();
  for (long i = 0; i < count; ++i) {
    locks[i].Lock();
    locks[i].Unlock();
  }
  double alone = locks_memory();
  for (long i = 0; i < count; ++i) {
    outer.Lock();
    locks[i].Lock();
    locks[i].Unlock();
    outer.Unlock();
  }
  locks_print("bytes-alone", (alone - before) / (double)count);
  locks_print("bytes-nested", (locks_memory() - before) / (double)count);
}

int main(int count, char **arguments) {
  bool detects = count < 3 || std::strcmp(arguments[2], "off") != 0;
  absl::SetMutexDeadlockDetectionMode(detects ? absl::OnDeadlockCycle::kReport : absl::OnDeadlockCycle::kIgnore);
  locks_size size = locks_size_of(count > 1 ? arguments[1] : "full");
  locks_be_threaded();
  time(size, "pair", [] {
    outer.Lock();
    outer.Unlock();
  });
  time(size, "nested", [] {
    outer.Lock();
    inner.Lock();
    inner.Unlock();
    outer.Unlock();
  });
  time(size, "read", [] {
    shared.ReaderLock();
    shared.ReaderUnlock();
  });
  time(size, "write", [] {
    shared.Lock();
    shared.Unlock();
  });
  auto take = [] { outer.Lock(); };
  auto give_back = [] { outer.Unlock(); };
  locks_print("contended", locks_contended(size, 100, take, give_back));
  locks_print("contended-empty", locks_contended(size, 0, take, give_back));
  // Its graph looks at all locks for each new order: more would take minutes.
  weigh(detects && size.locks > 5000 ? 5000 : size.locks);
}
