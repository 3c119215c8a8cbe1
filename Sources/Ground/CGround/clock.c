#include "CGround/clock.h"

int (*const volatile cgr_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;
volatile bool cgr_clock_asks_kernel;
