// A program that breaks one rule of locks, or none, as its argument says.

#include <stdio.h>
#include <string.h>

#include "probe.h"

int main(int count, char **arguments) {
  for (const struct scenario *scenario = scenarios; count == 2 && scenario->name; ++scenario) {
    if (strcmp(scenario->name, arguments[1]) != 0) continue;
    scenario->run();
    return 0;
  }
  fprintf(stderr, "usage: lock-probe SCENARIO\n");
  return 64;
}
