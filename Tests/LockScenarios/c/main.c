// Runs the scenario that is named. --list lists them.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "scenarios.h"

static const struct scenario *const families[] = {
    order_scenarios, misuse_scenarios, wait_scenarios, live_scenarios, stress_scenarios,
};

int main(int count, char **arguments) {
  if (count < 2) {
    fprintf(stderr, "usage: %s --list | SCENARIO | philosophers SEATS\n", arguments[0]);
    return 64;
  }
  const char *name = arguments[1];
  int list = strcmp(name, "--list") == 0;
  for (size_t f = 0; f < sizeof families / sizeof families[0]; f++) {
    for (const struct scenario *one = families[f]; one->name; one++) {
      if (list) puts(one->name);
      if (strcmp(one->name, name) == 0) {
        one->run();
        return 0;
      }
    }
  }
  if (list) {
    self_test_list();
    return 0;
  }
  if (strcmp(name, "philosophers") == 0 && count == 3) {
    philosophers((size_t)atoi(arguments[2]));
    return 0;
  }
  if (self_test_run(name)) return 0;
  fprintf(stderr, "there is no scenario %s\n", name);
  return 64;
}
