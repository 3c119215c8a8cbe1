// The locks of the C++ standard library. Runs the scenario that is named; --list lists them.

#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <thread>

#include <sys/eventfd.h>
#include <unistd.h>

namespace {

// Something that one thread waits for and another brings about; no lock, which would be a part of what is looked at.
class event {
 public:
  void signal() {
    if (eventfd_write(descriptor, 1)) std::perror("eventfd_write");
  }
  void await() {
    eventfd_t count;
    if (eventfd_read(descriptor, &count)) std::perror("eventfd_read");
  }

 private:
  int descriptor = eventfd(0, EFD_CLOEXEC | EFD_SEMAPHORE);
};

// Each on a thread of its own, one after another; both threads exist at the same time.
void in_turn(const std::function<void()> &first, const std::function<void()> &second) {
  event first_done, second_done;
  std::thread one([&] {
    first();
    first_done.signal();
    second_done.await();
  });
  std::thread other([&] {
    first_done.await();
    second();
    second_done.signal();
  });
  one.join();
  other.join();
}

template <typename First, typename Second>
void both(First &first, Second &second) {
  std::lock_guard<First> outer(first);
  std::lock_guard<Second> inner(second);
}

template <typename Mutex>
void inversion() {
  Mutex a, b;
  in_turn([&] { both(a, b); }, [&] { both(b, a); });
}

// std::lock and std::scoped_lock take what they are given in whatever order succeeds: nobody waits while holding.
void scoped_lock_of_both() {
  std::mutex a, b;
  in_turn([&] { std::scoped_lock all(a, b); }, [&] { std::scoped_lock all(b, a); });
}

void shared_readers() {
  std::shared_mutex a, b;
  auto read = [](std::shared_mutex &first, std::shared_mutex &second) {
    std::shared_lock outer(first);
    std::shared_lock inner(second);
  };
  in_turn([&] { read(a, b); }, [&] { read(b, a); });
}

void recursive_again() {
  std::recursive_mutex a;
  in_turn([&] { both(a, a); }, [&] { both(a, a); });
}

void condition_variable() {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  std::thread waiter([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
  });
  {
    std::lock_guard lock(mutex);
    ready = true;
  }
  changed.notify_one();
  waiter.join();
}

void unlock_by_another_thread() {
  std::mutex a;
  in_turn([&] { a.lock(); }, [&] { a.unlock(); });
}

struct scenario {
  const char *name;
  void (*run)();
};

const scenario scenarios[] = {
    {"std-mutex-inversion", inversion<std::mutex>},
    {"std-timed-mutex-inversion", inversion<std::timed_mutex>},
    {"std-shared-mutex-inversion", inversion<std::shared_mutex>},
    {"std-recursive-mutex-inversion", inversion<std::recursive_mutex>},
    {"std-scoped-lock-of-both", scoped_lock_of_both},
    {"std-shared-mutex-readers", shared_readers},
    {"std-recursive-mutex-again", recursive_again},
    {"std-condition-variable", condition_variable},
    {"std-mutex-unlock-by-another-thread", unlock_by_another_thread},
};

}  // namespace

int main(int count, char **arguments) {
  for (const scenario &one : scenarios) {
    if (count == 2 && std::strcmp(arguments[1], "--list") == 0) std::puts(one.name);
    if (count == 2 && std::strcmp(arguments[1], one.name) == 0) {
      one.run();
      return 0;
    }
  }
  return count == 2 && std::strcmp(arguments[1], "--list") == 0 ? 0 : 64;
}
