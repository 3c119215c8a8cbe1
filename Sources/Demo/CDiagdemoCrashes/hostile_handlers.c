#include "hostile_crashes.h"
#include "hostile_threads.h"

#include <signal.h>
#include <unistd.h>

static struct sigaction action_before;

static void install(void (*handler)(int, siginfo_t *, void *)) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  had(sigaction(SIGSEGV, &action, &action_before) == 0, "sigaction");
}

// As libraries do that want to be polite: the action before it, or the default one at the instruction's next try.
static void chain(int signal_number, siginfo_t *info, void *context) {
  if (action_before.sa_flags & SA_SIGINFO)
    action_before.sa_sigaction(signal_number, info, context);
  else if (action_before.sa_handler != SIG_DFL && action_before.sa_handler != SIG_IGN)
    action_before.sa_handler(signal_number);
  else
    signal(signal_number, SIG_DFL);
}

static void raise_again(int signal_number, siginfo_t *info, void *context) {
  (void)info, (void)context;
  signal(signal_number, SIG_DFL);
  raise(signal_number);
}

static void exit_now(int signal_number, siginfo_t *info, void *context) {
  (void)signal_number, (void)info, (void)context;
  _exit(3);
}

void install_chaining_handler(void) { install(chain); }
void install_reraising_handler(void) { install(raise_again); }
void install_exiting_handler(void) { install(exit_now); }
