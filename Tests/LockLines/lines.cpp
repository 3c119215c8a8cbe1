// As lines.c, with the locks of the C++ standard library.

#include <cstdio>
#include <cstring>
#include <mutex>
#include <shared_mutex>

#define NEVER_INLINED __attribute__((noinline))

namespace {

std::mutex a, b;
std::shared_mutex sa, sb;
volatile int count;

NEVER_INLINED void work() { count = count + 1; }

// --- Guards, whose destructors stand at the end

NEVER_INLINED void guard_a_b() {
  std::lock_guard<std::mutex> outer(a);  // guard: A first
  work();
  std::lock_guard<std::mutex> inner(b);  // guard: B second
  work();
}

NEVER_INLINED void guard_b_a() {
  std::lock_guard<std::mutex> outer(b);  // guard: B first
  work();
  std::lock_guard<std::mutex> inner(a);  // guard: A second
  work();
}

// --- Calls, with an exception's landing pad behind them

NEVER_INLINED void lock_a_b() {
  a.lock();  // lock: A first
  work();
  b.lock();  // lock: B second
  work();
  b.unlock();
  a.unlock();
}

NEVER_INLINED void lock_b_a() {
  b.lock();  // lock: B first
  work();
  a.lock();  // lock: A second
  work();
  a.unlock();
  b.unlock();
}

// --- Shared locks

NEVER_INLINED void shared_a_b() {
  std::unique_lock outer(sa);  // shared: A first
  work();
  std::shared_lock inner(sb);  // shared: B second
  work();
}

NEVER_INLINED void shared_b_a() {
  std::unique_lock outer(sb);  // shared: B first
  work();
  std::shared_lock inner(sa);  // shared: A second
  work();
}

struct {
  const char *name;
  void (*parts[2])();
} const ways[] = {
    {"guard", {guard_a_b, guard_b_a}},
    {"lock", {lock_a_b, lock_b_a}},
    {"shared", {shared_a_b, shared_b_a}},
};

}  // namespace

int main(int argument_count, char **arguments) {
  for (const auto &way : ways) {
    if (argument_count != 2 || std::strcmp(arguments[1], way.name) != 0) continue;
    for (auto part : way.parts) part();
    return 0;
  }
  return 64;
}
