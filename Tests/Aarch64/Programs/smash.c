// Writes over the caller's part of the stack, and returns there.
#include <string.h>

__attribute__((noinline)) static void fill(char *room, int count) {
  for (int i = 0; i < count; ++i) room[i] = (char)(0x41 + i % 8);
}

__attribute__((noinline)) static int copy(int count) {
  char room[32];
  fill(room, count);
  return room[0];
}

__attribute__((noinline)) static int work(int count) { return copy(count) + 1; }

int main(int count, char **arguments) { return work(count * 256) + !arguments; }
