// The functions that this library imports from glibc under their oldest version.

#include "COldGlibc.h"

MOVED(dladdr1, MOVED_IN_2_3_3)
MOVED(dlclose, MOVED_OLDEST)
MOVED(dlerror, MOVED_OLDEST)
MOVED(dlinfo, MOVED_IN_2_3_3)
MOVED(dlopen, MOVED_OLDEST)
MOVED(dlsym, MOVED_OLDEST)
MOVED(dlvsym, MOVED_OLDEST)
MOVED(pthread_attr_getstack, MOVED_OLDEST)
MOVED(pthread_getattr_np, MOVED_OLDEST)
MOVED(pthread_key_create, MOVED_OLDEST)
MOVED(pthread_once, MOVED_OLDEST)
MOVED(pthread_setspecific, MOVED_OLDEST)
