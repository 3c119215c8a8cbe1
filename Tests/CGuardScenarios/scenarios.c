#include "CGuardScenarios.h"

#include <math.h>
#include <unistd.h>

int guard_integer_division(int dividend, int divisor) {
  volatile int by = divisor;
  return dividend / by;
}

pid_t guard_fork(void) { return fork(); }

double guard_power(double base, double exponent) { return pow(base, exponent) + 1; }

int guard_is_in_power(unsigned long address) {
  unsigned long start = (unsigned long)guard_power;
  return address > start && address - start < 96;
}
