#include "CGround/monotonic_clock.h"

int (*const volatile cph_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;
