#pragma once
// The signal of CRASHKIT_OPTIONS=on-signal=NAME: all threads and tasks are printed, and the program continues.

#include <signal.h>
#include <stdbool.h>
#include <ucontext.h>

#include "CReportParts/images.h"

#pragma GCC visibility push(hidden)

/// Whether that signal was sent by another process, by the kernel or by a terminal. The program's own signals are its
/// own affair. Async-signal-safe.
bool ck_live_signal_asks(const siginfo_t *info);

/// Prints all threads and tasks on standard error, and makes a report if there is a folder, on the thread that the
/// signal has interrupted. A signal that comes while another one is answered has that answer. `images` are those that
/// were known at the install. Async-signal-safe; errno stays as it was.
void ck_live_answer_signal(const crp_images *images, int signal, const siginfo_t *info, const ucontext_t *context);

#pragma GCC visibility pop
