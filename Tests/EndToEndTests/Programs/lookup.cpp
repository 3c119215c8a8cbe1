// A thread waits; another calls a method of an object that is not there.
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace store {

class Shelf {
 public:
  __attribute__((noinline)) long count(const std::string &item) const {
    return counts_ + static_cast<long>(item.size());  // It crashes here.
  }

 private:
  volatile long counts_ = 0;
};

std::map<std::string, Shelf *> shelves{{"left", nullptr}};

}  // namespace store

int main() {
  std::mutex mutex;
  std::condition_variable never, started;
  bool waiting = false;
  std::thread waiter([&] {
    std::unique_lock<std::mutex> lock(mutex);
    waiting = true;
    started.notify_all();
    never.wait(lock, [] { return false; });
  });
  {
    std::unique_lock<std::mutex> lock(mutex);
    started.wait(lock, [&] { return waiting; });
  }
  std::thread crasher([] { return store::shelves["left"]->count("tea"); });
  crasher.join();
}
