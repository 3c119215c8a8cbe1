// A call through a pointer: to nothing, or with an argument to a page that nothing is mapped at.
#include <stdint.h>

__attribute__((noinline)) static int call(int (*function)(int), int value) { return function(value) + 1; }

int main(int count, char **arguments) {
  uintptr_t place = count > 1 ? (uintptr_t)0x123456789000 : 0;
  return call((int (*)(int))place, 3) + !arguments;
}
