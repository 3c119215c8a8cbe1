// The layouts that two libraries exchange. The libraries may be from different builds, so layouts only grow at the end.

#include <stddef.h>

#include "CRendezvous/memory_guard.h"
#include "CRendezvous/thread_observer.h"
#include "CRendezvous/section_provider.h"

_Static_assert(offsetof(crv_thread_observer, started) == 0, "the layout is a promise");
_Static_assert(offsetof(crv_thread_observer, ended) == sizeof(void *), "the layout is a promise");
_Static_assert(offsetof(crv_section_provider, report) == 0, "the layout is a promise");
_Static_assert(offsetof(crv_section_provider, thread) == sizeof(void *), "the layout is a promise");
_Static_assert(offsetof(crv_json, address) == 8 * sizeof(void *), "the layout is a promise");
_Static_assert(offsetof(crv_memory_guard, words) == 48, "the layout is a promise");
_Static_assert(offsetof(crv_guarded_slot, allocated) == 24, "the layout is a promise");
_Static_assert(offsetof(crv_guarded_stack, bytes) == 296, "the layout is a promise");
_Static_assert(sizeof(crv_guarded_slot) == 24 + 2 * (296 + CRV_GUARDED_STACK_BYTES), "the layout is a promise");
