#pragma once
// What the scenarios need and Swift does not offer.

#include <sys/types.h>

/// An integer division as the processor does it: Swift would look for the zero first.
int guard_integer_division(int dividend, int divisor);

pid_t guard_fork(void);

/// A power, as libm has it; and whether a return address lies in this function.
double guard_power(double base, double exponent);
int guard_is_in_power(unsigned long address);
