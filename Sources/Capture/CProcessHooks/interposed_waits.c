// Interposed calls that wait with their own mask: if a handler runs and faults meanwhile, that must be reported.

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "process_masks.h"
#include "process_threads.h"
#include "real_functions.h"
#include "wait_masks.h"
#include "CGround/syscalls.h"

typedef struct wait {
  const sigset_t *mask;  // for the kernel; NULL for none
  cph_wait_mask outer;
  bool has_scope;
  cph_mask_scopes before;
  uint64_t held_before;
  sigset_t open;  // the program's mask, except what is left open
} wait;

// Asked of the kernel, which reads a mask before it finds that what is to be done with it makes no sense: the call
// itself answers EFAULT, and so it should here.
static bool is_unreadable(const sigset_t *mask) {
  return cgr_syscall4(SYS_rt_sigprocmask, -1, mask, NULL, 8) == -EFAULT;
}

// For a mask that has something that is left open, or opens something that is shown as blocked.
static void begin_scope(wait *wait, uint64_t hidden, uintptr_t frame) {
  wait->open = *wait->mask;
  // With the mark of a handler that waits, which is not left by that.
  *(uint64_t *)&wait->open = (*(uint64_t *)&wait->open & ~hidden) | cph_mask_mark_here();
  wait->held_before = cph_masks_held();
  uintptr_t low = frame > CPH_STACK_REACH_BYTES ? frame - CPH_STACK_REACH_BYTES : 0;
  // A handler that comes once the kernel has put back the mask of before is not of the wait.
  uint64_t needs = cph_mask_bits(wait->mask) & ~hidden & ~CPH_NEVER_BLOCKED;
  wait->before = cph_mask_scope_begin((cph_mask_scope){hidden, low, frame, needs, 0, 0, 0});
  wait->mask = &wait->open;
}

static void begin(wait *wait, const sigset_t *mask, uintptr_t frame) {
  cph_real_functions_find();
  cph_thread_seen();
  bool has_mask = mask && !is_unreadable(mask);
  uint64_t hidden = has_mask ? cph_masks_hidden_in(mask) : 0;
  wait->mask = mask;
  wait->has_scope = has_mask && (hidden != 0 || cph_masks_show_any());
  if (__builtin_expect(wait->has_scope, 0)) begin_scope(wait, hidden, frame);
  cph_wait_mask call = {0};
  if (has_mask) call = (cph_wait_mask){cph_mask_bits(wait->mask), frame, wait->has_scope ? &wait->before : NULL};
  wait->outer = cph_wait_mask_begin(call);
}

static void end(const wait *wait) {
  cph_wait_mask_end(wait->outer);
  if (__builtin_expect(!wait->has_scope, 1)) return;
  int error = errno;
  cph_mask_scopes_set(wait->before);
  // What was sent meanwhile, and is blocked no more, comes now.
  cph_masks_let_go(cph_masks_held() & ~wait->held_before);
  errno = error;
}

#define EXPORT __attribute__((visibility("default")))
#define FRAME ((uintptr_t)__builtin_frame_address(0))

EXPORT int sigsuspend(const sigset_t *mask) {
  wait wait;
  begin(&wait, mask, FRAME);
  int result = cph_real_sigsuspend(wait.mask);
  end(&wait);
  return result;
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
  wait wait;
  begin(&wait, mask, FRAME);
  int result = cph_real_ppoll(files, count, limit, wait.mask);
  end(&wait);
  return result;
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
                   const struct timespec *restrict limit, const sigset_t *restrict mask) {
  wait wait;
  begin(&wait, mask, FRAME);
  int result = cph_real_pselect(count, in, out, other, limit, wait.mask);
  end(&wait);
  return result;
}

EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int limit, const sigset_t *mask) {
  wait wait;
  begin(&wait, mask, FRAME);
  int result = cph_real_epoll_pwait(epoll, events, count, limit, wait.mask);
  end(&wait);
  return result;
}

EXPORT int epoll_pwait2(int epoll, struct epoll_event *events, int count, const struct timespec *limit,
                        const sigset_t *mask) {
  cph_real_functions_find();
  if (!cph_real_epoll_pwait2) {
    errno = ENOSYS;
    return -1;
  }
  wait wait;
  begin(&wait, mask, FRAME);
  int result = cph_real_epoll_pwait2(epoll, events, count, limit, wait.mask);
  end(&wait);
  return result;
}
