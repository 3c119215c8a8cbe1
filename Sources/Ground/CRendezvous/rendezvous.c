// The layouts that one library hands to another, which may have been built at another time: they only grow at the end.

#include <stddef.h>

#include "CRendezvous/thread_observer.h"
#include "CRendezvous/section_provider.h"

_Static_assert(offsetof(crv_thread_observer, started) == 0, "the layout is a promise");
_Static_assert(offsetof(crv_thread_observer, ended) == sizeof(void *), "the layout is a promise");
_Static_assert(offsetof(crv_section_provider, report) == 0, "the layout is a promise");
_Static_assert(offsetof(crv_section_provider, thread) == sizeof(void *), "the layout is a promise");
_Static_assert(offsetof(crv_json, address) == 8 * sizeof(void *), "the layout is a promise");
