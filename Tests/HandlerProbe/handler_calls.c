// What a handler finds when it is called: its arguments.
#include "probe.h"
#include "processor.h"

#if defined(__x86_64__)

static char *page;

// The kernel hands over all three on x86-64, whatever the flags, but leaves the room for the information as it was.
static void repair_with_all(int signal, siginfo_t *info, void *context) {
  const ucontext_t *interrupted = context;
  say("signal %d, info %d, page fault %d\n", signal, info != NULL, interrupted->uc_mcontext.gregs[REG_TRAPNO] == 14);
  open_page(page);
}

static int arguments_without_siginfo(void) {
  page = protected_page();
  struct sigaction action = action_of(repair_with_all, 0);
  action.sa_flags &= ~SA_SIGINFO;
  install_around(SIGSEGV, &action);
  store(page + 16);
  return 7;
}

#endif

const probe call_probes[] = {
#if defined(__x86_64__)
    {"arguments-without-siginfo", arguments_without_siginfo},
#endif
    {NULL, NULL},
};
