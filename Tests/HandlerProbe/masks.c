// Programs that block the signals of faults: crashes there, and what such a program reads back.
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/wait.h>

#include "breadcrumbs.h"
#include "masks.h"
#include "probe.h"
#include "processor.h"

#pragma clang diagnostic ignored "-Wdeprecated-declarations"

static void *crash_there(void *argument) {
  crash();
  return argument;
}
static int in_thread(void *(*function)(void *), const pthread_attr_t *attributes) {
  pthread_t thread;
  CHECK(pthread_create(&thread, attributes, function, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
  return 7;
}

// --- Crashes -----------------------------------------------------------------------------------------------------

static int blocked_by_sigmask(void) {
  install_crashkit();
  set_mask(all());
  crash();
  return 7;
}
static void *block_and_crash(void *argument) {
  sigset_t set = only(SIGSEGV);
  CHECK(sigprocmask(SIG_BLOCK, &set, NULL) == 0);
  crash();
  return argument;
}
static int blocked_on_thread(void) {
  install_crashkit();
  return in_thread(block_and_crash, NULL);
}
static int blocked_by_creator(void) {
  install_crashkit();
  set_mask(all());
  return in_thread(crash_there, NULL);
}
static int blocked_by_attributes(void) {
  install_crashkit();
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  sigset_t set = all();
  CHECK(pthread_attr_setsigmask_np(&attributes, &set) == 0);
  return in_thread(crash_there, &attributes);
}
static int blocked_before_install(void) {
  set_mask(all());
  install_crashkit();
  crash();
  return 7;
}
static int blocked_by_sighold(void) {
  install_crashkit();
  int segv = 1 << (SIGSEGV - 1), usr1 = 1 << (SIGUSR1 - 1);
  CHECK(sighold(SIGSEGV) == 0);
  CHECK(siggetmask() & segv);
  CHECK(sigsetmask(0) & segv);
  CHECK(siggetmask() == 0);
  sigblock(segv | usr1);
  CHECK(sigrelse(SIGUSR1) == 0);
  CHECK(siggetmask() == segv);
  crash();
  return 7;
}

static void crash_in_handler(int signal) {
  (void)signal;
  crash();
}
static int blocked_by_handlers_mask(void) {
  struct sigaction action = {.sa_handler = crash_in_handler, .sa_mask = all()};
  install_around(SIGUSR1, &action);
  raise(SIGUSR1);
  return 7;
}
static int blocked_by_fault_handlers_mask(void) {
  struct sigaction action = {.sa_handler = crash_in_handler, .sa_mask = all()};
  install_around(SIGBUS, &action);
  raise(SIGBUS);
  return 7;
}

// A handler that blocks a signal, or opens it, where it returns to.
static char *page;
static int edited_signal;
static bool edit_blocks;
static void edit_mask(int signal, siginfo_t *info, void *context) {
  (void)signal, (void)info;
  sigset_t *mask = &((ucontext_t *)context)->uc_sigmask;
  say("interrupted: %016lx\n", *(unsigned long *)mask);
  CHECK((edit_blocks ? sigaddset : sigdelset)(mask, edited_signal) == 0);
  open_page(page);
}
static void have_mask_edited(bool blocks) {
  edit_blocks = blocks;
  close_page(page);
  store(page);
}
static int blocked_by_a_handlers_context(void) {
  page = protected_page();
  edited_signal = SIGSEGV;
  struct sigaction action = action_of(edit_mask, 0);
  install_around(SIGSEGV, &action);
  have_mask_edited(true);
  crash();
  return 7;
}

// A handler that runs while a call waits with a mask of its own.
static int blocked_while_waiting(int (*wait)(const sigset_t *)) {
  struct sigaction action = {.sa_handler = crash_in_handler};
  install_around(SIGUSR1, &action);
  set_mask(only(SIGUSR1));
  raise(SIGUSR1);
  sigset_t mask = all_but(SIGUSR1);
  wait(&mask);
  return 7;
}
static int wait_ppoll(const sigset_t *mask) { return ppoll(NULL, 0, NULL, mask); }
static int wait_pselect(const sigset_t *mask) { return pselect(0, NULL, NULL, NULL, NULL, mask); }
static int wait_epoll(const sigset_t *mask) {
  struct epoll_event event;
  return epoll_pwait(epoll_create1(0), &event, 1, -1, mask);
}
static int blocked_by_sigsuspend(void) { return blocked_while_waiting(sigsuspend); }
static int blocked_by_ppoll(void) { return blocked_while_waiting(wait_ppoll); }
static int blocked_by_pselect(void) { return blocked_while_waiting(wait_pselect); }
static int blocked_by_epoll_pwait(void) { return blocked_while_waiting(wait_epoll); }

// A signal that was blocked while the call waited comes when the mask of before is back, in which faults are open.
static void raise_another(int signal) {
  (void)signal;
  raise(SIGUSR2);
}
static void repair(int signal) {
  (void)signal;
  open_page(page);
}
static void write_to_page(int signal) {
  (void)signal;
  sigset_t now;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &now) == 0);
  say("blocked %d\n", sigismember(&now, SIGSEGV));
  store(page);
}
static int pending_behind_a_wait(void) {
  int (*const waits[])(const sigset_t *) = {sigsuspend, wait_ppoll, wait_pselect, wait_epoll};
  struct sigaction repairing = {.sa_handler = repair}, first = {.sa_handler = raise_another},
                   second = {.sa_handler = write_to_page};
  page = protected_page();
  install_around(SIGSEGV, &repairing);
  CHECK(sigaction(SIGUSR1, &first, NULL) == 0 && sigaction(SIGUSR2, &second, NULL) == 0);
  for (size_t i = 0; i < sizeof waits / sizeof *waits; ++i) {
    close_page(page);
    set_mask(only(SIGUSR1));
    raise(SIGUSR1);
    sigset_t mask = all_but(SIGUSR1);
    say("%d\n", waits[i](&mask));
  }
  return 7;
}

// The kernel answers EFAULT, with us as without.
static int waits_with_unreadable_mask(void) {
  install_crashkit();
  const sigset_t *nowhere = (const sigset_t *)8;
  struct epoll_event event;
  CHECK(ppoll(NULL, 0, NULL, nowhere) == -1 && errno == EFAULT);
  CHECK(pselect(0, NULL, NULL, NULL, NULL, nowhere) == -1 && errno == EFAULT);
  CHECK(epoll_pwait(epoll_create1(0), &event, 1, -1, nowhere) == -1 && errno == EFAULT);
  CHECK(sigsuspend(nowhere) == -1 && errno == EFAULT);
  return 0;
}

// A thread older than CrashKit, which has called something of it since.
static pthread_barrier_t barrier;
static void *wait_record_crash(void *argument) {
  set_mask(all());
  pthread_barrier_wait(&barrier);
  pthread_barrier_wait(&barrier);
  ck_breadcrumb_record("older", 5, "probe", 5, CK_INFO, NULL);
  crash();
  return argument;
}
static int blocked_on_older_thread(void) {
  pthread_barrier_init(&barrier, NULL, 2);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_record_crash, NULL) == 0);
  pthread_barrier_wait(&barrier);
  install_crashkit();
  pthread_barrier_wait(&barrier);
  pthread_join(thread, NULL);
  return 7;
}

static int blocked_in_child(void) {
  install_crashkit();
  set_mask(all());
  pid_t child = fork();
  if (child == 0) crash();
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status));
  raise(SIGKILL);
  return 7;
}

// --- What the program reads back -------------------------------------------------------------------------------

static void say_mask(const char *where) {
  sigset_t mask;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
  say("%s: %016lx\n", where, *(unsigned long *)&mask);
}
static void *say_inherited(void *argument) {
  say_mask("thread");
  return argument;
}
static void say_in_handler(int signal) {
  (void)signal;
  say_mask("inside");
  sigset_t set = only(SIGSEGV), none;
  sigemptyset(&none);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, &none) == 0);
  say_mask("opened inside");
  CHECK(pthread_sigmask(SIG_SETMASK, &none, NULL) == 0);
  say_mask("as before");
}

static void say_signal(int signal, siginfo_t *info, void *context) {
  say("signal %d\n", signal);
  if (info->si_code > 0) skip_breakpoint(context);
}

static int masks_left_by_a_handler(void) {
  page = protected_page();
  edited_signal = SIGTRAP;
  struct sigaction action = action_of(edit_mask, 0), tells = action_of(say_signal, 0);
  CHECK(sigaction(SIGTRAP, &tells, NULL) == 0);
  install_around(SIGSEGV, &action);
  sigset_t set = only(SIGTRAP);
  sigaddset(&set, SIGUSR2);
  set_mask(set);
  have_mask_edited(false);
  say_mask("opened");
  BREAKPOINT();
  have_mask_edited(true);
  say_mask("blocked");
  raise(SIGTRAP);
  say("held\n");
  // It comes where the handler returns to.
  have_mask_edited(false);
  say_mask("opened again");
  have_mask_edited(true);
  set = only(SIGTRAP);
  CHECK(pthread_sigmask(SIG_UNBLOCK, &set, NULL) == 0);
  say_mask("in the end");
  raise(SIGTRAP);
  return 7;
}

static sigjmp_buf way_out;
static void jump_out(int signal) {
  (void)signal;
  siglongjmp(way_out, 1);
}

static int masks_read_back(void) {
  struct sigaction action = {.sa_handler = say_in_handler, .sa_mask = all()}, old;
  install_around(SIGUSR1, &action);
  say_mask("start");
  sigset_t set = all(), before;
  CHECK(pthread_sigmask(SIG_BLOCK, &set, &before) == 0);
  say_mask("all");
  in_thread(say_inherited, NULL);
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  set = only(SIGFPE);
  CHECK(pthread_attr_setsigmask_np(&attributes, &set) == 0);
  in_thread(say_inherited, &attributes);
  set = only(SIGSEGV);
  CHECK(sigprocmask(SIG_UNBLOCK, &set, NULL) == 0);
  say_mask("but one");
  CHECK(pthread_sigmask(SIG_SETMASK, &before, NULL) == 0);
  say_mask("before");
  raise(SIGUSR1);
  say_mask("after the handler");
  CHECK(sigaction(SIGUSR1, NULL, &old) == 0);
  say("own %d, flags %x, mask %lx\n", old.sa_handler == say_in_handler, old.sa_flags & ~0x04000000,
      *(unsigned long *)&old.sa_mask);
  say("own again %d\n", signal(SIGUSR1, SIG_IGN) == say_in_handler);
  CHECK(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == SIG_IGN);
  action.sa_flags = (int)SA_RESETHAND;
  CHECK(sigaction(SIGUSR1, &action, &old) == 0 && old.sa_handler == say_in_handler);
  raise(SIGUSR1);
  CHECK(sigaction(SIGUSR1, NULL, &old) == 0 && old.sa_handler == SIG_DFL);
  CHECK(sigset(SIGSEGV, SIG_HOLD) == SIG_DFL);
  say_mask("held");
  CHECK(sigset(SIGSEGV, SIG_DFL) == SIG_HOLD);
  say_mask("set");
  // Out of a region that blocks all, and out of a handler that does.
  if (sigsetjmp(way_out, 1) == 0) {
    set_mask(all());
    siglongjmp(way_out, 1);
  }
  say_mask("jumped");
  struct sigaction jumps = {.sa_handler = jump_out, .sa_mask = all()};
  CHECK(sigaction(SIGUSR2, &jumps, NULL) == 0);
  if (sigsetjmp(way_out, 1) == 0) raise(SIGUSR2);
  say_mask("jumped from handler");
  set_mask(all());
  pid_t child = fork();
  if (child == 0) {
    say_mask("child");
    _exit(0);
  }
  CHECK(waitpid(child, NULL, 0) == child);
  return 7;
}

// Blocked, the handler is not called: the kernel kills.
static void never(int signal) { say("handler called: %d\n", signal); }
static int blocked_with_handler(void) {
  struct sigaction action = {.sa_handler = never};
  install_around(SIGSEGV, &action);
  set_mask(only(SIGSEGV));
  crash();
  return 7;
}

const probe mask_probes[] = {
    {"blocked-by-sigmask", blocked_by_sigmask},
    {"blocked-on-thread", blocked_on_thread},
    {"blocked-by-creator", blocked_by_creator},
    {"blocked-by-attributes", blocked_by_attributes},
    {"blocked-before-install", blocked_before_install},
    {"blocked-by-sighold", blocked_by_sighold},
    {"blocked-by-handlers-mask", blocked_by_handlers_mask},
    {"blocked-by-fault-handlers-mask", blocked_by_fault_handlers_mask},
    {"blocked-by-sigsuspend", blocked_by_sigsuspend},
    {"blocked-by-ppoll", blocked_by_ppoll},
    {"pending-behind-a-wait", pending_behind_a_wait},
    {"blocked-by-pselect", blocked_by_pselect},
    {"blocked-by-epoll-pwait", blocked_by_epoll_pwait},
    {"blocked-on-older-thread", blocked_on_older_thread},
    {"blocked-with-handler", blocked_with_handler},
    {"blocked-by-a-handlers-context", blocked_by_a_handlers_context},
    {"masks-left-by-a-handler", masks_left_by_a_handler},
    {"blocked-in-child", blocked_in_child},
    {"masks-read-back", masks_read_back},
    {"waits-with-unreadable-mask", waits_with_unreadable_mask},
    {NULL, NULL},
};
