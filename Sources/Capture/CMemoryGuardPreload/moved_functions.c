// The functions that this library imports from glibc under their oldest version.

#include "COldGlibc.h"

MOVED(dlsym, MOVED_OLDEST)
