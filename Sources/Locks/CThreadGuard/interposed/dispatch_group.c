// Interposed functions of libdispatch's groups. They do nothing more unless groups=yes is set. They are weak: with a
// static standard library libdispatch's own functions replace them. dispatch_group_async is in dispatch_async.c.

#ifdef THREADGUARD

#include "interposed/hooks.h"
#include "noise/perturb_points.h"
#include "queues/groups.h"

#define FOR_EVER UINT64_MAX

INTERPOSED long dispatch_group_wait(void *group, uint64_t limit) {
  ctg_boundary();
  struct ctg_thread_state *self = limit == FOR_EVER ? ctg_groups_self() : NULL;
  if (self) ctg_group_wait_begins(self, (uintptr_t)group, OWN_FRAME);
  long result = DISPATCH_REAL(dispatch_group_wait)(group, limit);
  if (self) ctg_wait_ends(self);
  return result;
}

INTERPOSED void dispatch_group_leave(void *group) {
  struct ctg_thread_state *self = ctg_groups_self();
  if (self) ctg_group_left(self, (uintptr_t)group, OWN_FRAME);
  DISPATCH_REAL(dispatch_group_leave)(group);
  ctg_boundary();
}

INTERPOSED void *dispatch_group_create(void) {
  void *group = DISPATCH_REAL(dispatch_group_create)();
  if (group && ctg_groups_self()) ctg_lock_renewed((uintptr_t)group);
  return group;
}

#endif
