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
#include "CGround/syscalls.h"

typedef struct wait {
  cph_mask_scopes before;
  uint64_t held_before;
  sigset_t open;  // the program's mask, except what is left open
} wait;

// Asked of the kernel, which reads a mask before it finds that what is to be done with it makes no sense: the call
// itself answers EFAULT, and so it should here.
static bool is_unreadable(const sigset_t *mask) {
  return cgr_syscall4(SYS_rt_sigprocmask, -1, mask, NULL, 8) == -EFAULT;
}

// False if the mask has nothing that is left open, and opens nothing that is shown as blocked.
static bool begin(wait *wait, const sigset_t *mask, uintptr_t frame) {
  cph_real_functions_find();
  cph_thread_seen();
  if (mask && is_unreadable(mask)) return false;
  uint64_t hidden = mask ? cph_masks_hidden_in(mask) : 0;
  if (__builtin_expect(!mask || (hidden == 0 && !cph_masks_show_any()), 1)) return false;
  wait->open = *mask;
  // With the mark of a handler that waits, which is not left by that.
  *(uint64_t *)&wait->open = (*(uint64_t *)&wait->open & ~hidden) | cph_mask_mark_here();
  wait->held_before = cph_masks_held();
  uintptr_t low = frame > CPH_STACK_REACH_BYTES ? frame - CPH_STACK_REACH_BYTES : 0;
  // A handler that comes once the kernel has put back the mask of before is not of the wait.
  uint64_t needs = cph_mask_bits(mask) & ~hidden & ~CPH_NEVER_BLOCKED;
  wait->before = cph_mask_scope_begin((cph_mask_scope){hidden, low, frame, needs, 0, 0});
  return true;
}

// What was sent meanwhile, and is blocked no more, comes now.
static void end(const wait *wait) {
  int error = errno;
  cph_mask_scopes_set(wait->before);
  cph_masks_let_go(cph_masks_held() & ~wait->held_before);
  errno = error;
}

#define EXPORT __attribute__((visibility("default")))
#define FRAME ((uintptr_t)__builtin_frame_address(0))

EXPORT int sigsuspend(const sigset_t *mask) {
  wait wait;
  if (!begin(&wait, mask, FRAME)) return cph_real_sigsuspend(mask);
  int result = cph_real_sigsuspend(&wait.open);
  end(&wait);
  return result;
}

EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *limit, const sigset_t *mask) {
  wait wait;
  if (!begin(&wait, mask, FRAME)) return cph_real_ppoll(files, count, limit, mask);
  int result = cph_real_ppoll(files, count, limit, &wait.open);
  end(&wait);
  return result;
}

EXPORT int pselect(int count, fd_set *restrict in, fd_set *restrict out, fd_set *restrict other,
                   const struct timespec *restrict limit, const sigset_t *restrict mask) {
  wait wait;
  if (!begin(&wait, mask, FRAME)) return cph_real_pselect(count, in, out, other, limit, mask);
  int result = cph_real_pselect(count, in, out, other, limit, &wait.open);
  end(&wait);
  return result;
}

EXPORT int epoll_pwait(int epoll, struct epoll_event *events, int count, int limit, const sigset_t *mask) {
  wait wait;
  if (!begin(&wait, mask, FRAME)) return cph_real_epoll_pwait(epoll, events, count, limit, mask);
  int result = cph_real_epoll_pwait(epoll, events, count, limit, &wait.open);
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
  if (!begin(&wait, mask, FRAME)) return cph_real_epoll_pwait2(epoll, events, count, limit, mask);
  int result = cph_real_epoll_pwait2(epoll, events, count, limit, &wait.open);
  end(&wait);
  return result;
}
