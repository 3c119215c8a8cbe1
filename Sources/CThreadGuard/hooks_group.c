// Interposed functions of libdispatch's groups. They do nothing besides unless groups are asked for. They are weak: with a
// static standard library libdispatch's own take their place. dispatch_group_async is in hooks_enqueue.c.

#ifdef THREADGUARD

#include "groups.h"
#include "hooks.h"
#include "perturb_points.h"

#define WEAKLY_INTERPOSED __attribute__((weak, noinline, visibility("default")))
#define REAL(type, name)                  \
  ({                                      \
    static void *_Atomic kept;            \
    (type)ctg_real_dispatch(&kept, name); \
  })
#define FOR_EVER UINT64_MAX

WEAKLY_INTERPOSED long dispatch_group_wait(void *group, uint64_t limit) {
  ctg_boundary();
  struct ctg_thread_state *self = limit == FOR_EVER ? ctg_groups_self() : NULL;
  if (self) ctg_group_wait_begins(self, (uintptr_t)group, OWN_FRAME);
  long result = REAL(long (*)(void *, uint64_t), "dispatch_group_wait")(group, limit);
  if (self) ctg_wait_ends(self);
  return result;
}

WEAKLY_INTERPOSED void dispatch_group_leave(void *group) {
  struct ctg_thread_state *self = ctg_groups_self();
  if (self) ctg_group_left(self, (uintptr_t)group, OWN_FRAME);
  REAL(void (*)(void *), "dispatch_group_leave")(group);
  ctg_boundary();
}

WEAKLY_INTERPOSED void *dispatch_group_create(void) {
  void *group = REAL(void *(*)(void), "dispatch_group_create")();
  if (group && ctg_groups_self()) ctg_lock_renewed((uintptr_t)group);
  return group;
}

#endif
