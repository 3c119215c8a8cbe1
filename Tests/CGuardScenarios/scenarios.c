#include <unistd.h>

#include "CGuardScenarios.h"

int guard_integer_division(int dividend, int divisor) {
  volatile int by = divisor;
  return dividend / by;
}

pid_t guard_fork(void) { return fork(); }
