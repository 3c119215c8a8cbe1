// An exception that nobody catches, thrown through destructors.
#include <stdexcept>
#include <unistd.h>

struct Guard {
  ~Guard() { usleep(0); }
};

[[gnu::noinline]] static int fail(int depth) {
  Guard guard;
  if (depth == 0) throw std::runtime_error("no more");
  return fail(depth - 1) + 1;
}

int main() { return fail(4); }
