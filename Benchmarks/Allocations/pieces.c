// Allocates and releases and does nothing else: pieces ROUNDS. Prints how often it allocated.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { KEPT = 1024 };

int main(int count, char **arguments) {
  static char *volatile pieces[KEPT];
  long rounds = count > 1 ? atol(arguments[1]) : 1;
  uint32_t seed = 1;
  for (long i = 0; i < rounds * KEPT; ++i) {
    seed = seed * 1664525 + 1013904223;
    char *volatile *piece = &pieces[seed % KEPT];
    free(*piece);
    *piece = malloc(16 + (seed >> 10) % 256);
    **piece = 1;
  }
  printf("%ld\n", rounds * KEPT);
}
