// Names as in signal(7) and sigaction(2).

#include "report/signal_names.h"

#include <signal.h>
#include <stddef.h>

static const struct {
  int signal;
  const char *name, *description;
} signals[] = {
    {SIGSEGV, "SIGSEGV", "Segmentation fault"},
    {SIGBUS, "SIGBUS", "Bus error"},
    {SIGILL, "SIGILL", "Illegal instruction"},
    {SIGTRAP, "SIGTRAP", "Trace/breakpoint trap"},
    {SIGFPE, "SIGFPE", "Arithmetic exception"},
    {SIGABRT, "SIGABRT", "Aborted"},
    {SIGSYS, "SIGSYS", "Bad system call"},
};

const char *ck_signal_name(int signal) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    if (signals[i].signal == signal) return signals[i].name;
  return "signal";
}

const char *ck_signal_description(int signal) {
  for (size_t i = 0; i < sizeof signals / sizeof *signals; ++i)
    if (signals[i].signal == signal) return signals[i].description;
  return "Signal";
}

#define NAME(s, c) {s, c, #c}

static const struct {
  int signal, code;
  const char *name;
} codes[] = {
    NAME(0, SI_USER),          NAME(0, SI_KERNEL),        NAME(0, SI_QUEUE),        NAME(0, SI_TIMER),
    NAME(0, SI_MESGQ),         NAME(0, SI_ASYNCIO),       NAME(0, SI_SIGIO),        NAME(0, SI_TKILL),
    NAME(SIGSEGV, SEGV_MAPERR), NAME(SIGSEGV, SEGV_ACCERR), NAME(SIGSEGV, SEGV_BNDERR), NAME(SIGSEGV, SEGV_PKUERR),
    NAME(SIGBUS, BUS_ADRALN),  NAME(SIGBUS, BUS_ADRERR),  NAME(SIGBUS, BUS_OBJERR), NAME(SIGBUS, BUS_MCEERR_AR),
    NAME(SIGBUS, BUS_MCEERR_AO), NAME(SIGILL, ILL_ILLOPC), NAME(SIGILL, ILL_ILLOPN), NAME(SIGILL, ILL_ILLADR),
    NAME(SIGILL, ILL_ILLTRP),  NAME(SIGILL, ILL_PRVOPC),  NAME(SIGILL, ILL_PRVREG), NAME(SIGILL, ILL_COPROC),
    NAME(SIGILL, ILL_BADSTK),  NAME(SIGTRAP, TRAP_BRKPT), NAME(SIGTRAP, TRAP_TRACE), NAME(SIGFPE, FPE_INTDIV),
    NAME(SIGFPE, FPE_INTOVF),  NAME(SIGFPE, FPE_FLTDIV),  NAME(SIGFPE, FPE_FLTOVF), NAME(SIGFPE, FPE_FLTUND),
    NAME(SIGFPE, FPE_FLTRES),  NAME(SIGFPE, FPE_FLTINV),  NAME(SIGFPE, FPE_FLTSUB), {SIGSYS, 1, "SYS_SECCOMP"},
};

const char *ck_signal_code_name(int signal, int code) {
  for (size_t i = 0; i < sizeof codes / sizeof *codes; ++i)
    if ((codes[i].signal == 0 || codes[i].signal == signal) && codes[i].code == code) return codes[i].name;
  return NULL;
}
