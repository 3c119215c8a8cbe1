// The functions that this library imports from glibc under their oldest version.

#include "COldGlibc.h"

MOVED(dlerror, MOVED_OLDEST)
MOVED(dlopen, MOVED_OLDEST)
MOVED(dlsym, MOVED_OLDEST)
MOVED(dlvsym, MOVED_OLDEST)
