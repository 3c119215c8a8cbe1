#pragma once
// CRASHKIT_OPTIONS: key=value pairs, separated by commas, in the form of SWIFT_BACKTRACE. Not for handlers.

#include <stdbool.h>
#include <stddef.h>

#include "processor/settings.h"

#pragma GCC visibility push(hidden)

/// Reads the environment into `settings`, defaults first; `keeps_throws` is that of `thrown`. In a privileged process
/// the environment is not read. `mistakes` is one line that names what is not understood; it is empty if all is
/// understood.
void ck_options_read(ck_settings *settings, bool keeps_throws, char *mistakes, size_t capacity);

#pragma GCC visibility pop
