// Nothing goes wrong: the process waits, and is ended from outside.
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>

static std::mutex lock;
static std::condition_variable condition;

int main() {
  std::thread first([] {
    std::unique_lock held(lock);
    condition.wait(held, [] { return false; });
  });
  std::thread second([] {
    sleep(1);
    kill(getpid(), SIGQUIT);
    pause();
  });
  first.join();
  second.join();
}
