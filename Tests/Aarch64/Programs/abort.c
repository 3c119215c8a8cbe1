// A check of the program's own fails.
#include <assert.h>

__attribute__((noinline)) static void check(int count) { assert(count > 5 && "too few"); }

int main(int count, char **arguments) {
  check(count + !arguments);
  return 0;
}
