// The handler calls tcsetattr, write, sigaction and raise: signal-safety(7) allows them.
#include "CTerminal.h"
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "CGround/signals.h"

enum { MOST_BYTES = 64 };

#define FATAL_SIGNALS (CGR_HANDLED_SIGNALS | CGR_SIGNAL_BIT(SIGQUIT))

static int terminal;
static struct termios kept_mode;
static char kept_bytes[MOST_BYTES];
static unsigned long kept_length;
static atomic_int is_armed;
static struct sigaction previous[65];  // by number

// Async-signal-safe. What was there before takes over: the signal comes again as soon as this one is done.
static void give_back(int number, siginfo_t *info, void *context) {
  (void)info;
  (void)context;
  int code = errno;
  if (atomic_exchange(&is_armed, 0)) {
    ssize_t written = write(terminal, kept_bytes, kept_length);
    (void)written;
    tcsetattr(terminal, TCSANOW, &kept_mode);
  }
  sigaction(number, &previous[number], 0);
  errno = code;
  raise(number);
}

int terminal_guard_install(int descriptor, const struct termios *mode, const char *bytes, unsigned long length) {
  terminal = descriptor;
  kept_mode = *mode;
  kept_length = length < MOST_BYTES ? length : MOST_BYTES;
  memcpy(kept_bytes, bytes, kept_length);
  struct sigaction action = {.sa_sigaction = give_back, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigemptyset(&action.sa_mask);
  uint64_t left = FATAL_SIGNALS;
  for (int signal; (signal = cgr_signal_take(&left));)
    if (sigaction(signal, &action, &previous[signal]) != 0) return errno;
  return 0;
}

void terminal_guard_set_armed(int armed) { atomic_store(&is_armed, armed); }
