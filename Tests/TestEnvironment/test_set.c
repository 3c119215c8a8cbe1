#include "TestEnvironment.h"

#include <stdlib.h>
#include <string.h>

bool tests_are_full(void) {
  const char *value = getenv("CRASHKIT_TEST_FULL");
  return value && strcmp(value, "yes") == 0;
}
