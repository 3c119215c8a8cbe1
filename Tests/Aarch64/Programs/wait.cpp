// Nothing goes wrong: the process waits. It is ended by a signal of its own, or with an argument from outside.
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <thread>
#include <unistd.h>

static std::mutex lock;
static std::condition_variable condition;

int main(int count, char **) {
  std::thread first([] {
    std::unique_lock held(lock);
    condition.wait(held, [] { return false; });
  });
  std::thread second([count] {
    sleep(1);
    if (count == 1) kill(getpid(), SIGQUIT);
    pause();
  });
  first.join();
  second.join();
}
