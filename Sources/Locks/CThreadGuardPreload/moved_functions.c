// The functions that this library imports from glibc under their oldest version.

#include "COldGlibc.h"

MOVED(__pthread_register_cancel, MOVED_IN_2_3_3)
MOVED(__pthread_unregister_cancel, MOVED_IN_2_3_3)
MOVED(__pthread_unwind_next, MOVED_IN_2_3_3)
MOVED(dladdr, MOVED_OLDEST)
MOVED(dlerror, MOVED_OLDEST)
MOVED(dlopen, MOVED_OLDEST)
MOVED(dlsym, MOVED_OLDEST)
MOVED(dlvsym, MOVED_OLDEST)
MOVED(pthread_attr_setstacksize, MOVED_OLDEST)
MOVED(pthread_create, MOVED_OLDEST)
MOVED(pthread_key_create, MOVED_OLDEST)
MOVED(pthread_once, MOVED_OLDEST)
MOVED(pthread_setspecific, MOVED_OLDEST)
MOVED(pthread_sigmask, MOVED_OLDEST)
