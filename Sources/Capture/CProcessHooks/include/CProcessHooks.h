#pragma once
// What CrashKit interposes in libc, owned in one place, and the ways for others to reach a report.
//
// Interposed: sigaction, signal, bsd_signal, sysv_signal, __sysv_signal, sigset; sigprocmask, pthread_sigmask,
// sigblock, sigsetmask, siggetmask, sighold, sigrelse; sigsuspend, ppoll, pselect, epoll_pwait, epoll_pwait2;
// sigaltstack; pthread_create; execve and its family, posix_spawn, posix_spawnp, system, popen; exit, _exit, _Exit,
// quick_exit; setuid, seteuid, setreuid, setresuid, setfsuid, setfsgid; fputs, fwrite, write, writev. Each passes
// straight through until a part has asked for it by the functions below; the last four remember from the start what a
// fatal message says on its way to stderr.

#include "handler_masks.h"
#include "handler_places.h"
#include "last_words.h"
#include "metric_slots.h"
#include "own_process.h"
#include "panic_words.h"
#include "process_exits.h"
#include "process_faults.h"
#include "process_masks.h"
#include "process_privileges.h"
#include "process_signals.h"
#include "process_threads.h"
#include "real_signal_functions.h"
#include "region_storage.h"
#include "report_sections.h"
#include "signal_frames.h"
#include "signal_stacks.h"
