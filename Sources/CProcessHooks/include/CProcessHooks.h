#pragma once
// What CrashKit and ThreadGuard interpose in libc, owned in one place, and the ways for others to reach a report.
//
// Interposed: sigaction, signal, bsd_signal, sysv_signal, __sysv_signal, sigset, pthread_create, exit, _exit, _Exit,
// quick_exit. Each passes straight through until a part has asked for it by the functions below.

#include "metric_slots.h"
#include "process_exits.h"
#include "process_signals.h"
#include "process_threads.h"
#include "report_sections.h"
