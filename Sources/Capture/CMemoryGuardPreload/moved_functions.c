// What this library takes from glibc under its oldest version.

#include "COldGlibc.h"

MOVED(dlsym, MOVED_OLDEST)
