#include "CGround/clock.h"

int (*const volatile ck_clock_gettime)(clockid_t, struct timespec *) = clock_gettime;
