#pragma once
// CRASHKIT_OPTIONS: key=value pairs with commas between, spelled as in SWIFT_BACKTRACE. Not for handlers.

#include <stddef.h>

#include "settings.h"

#pragma GCC visibility push(hidden)

/// Reads the environment into `settings`, defaults first. In a privileged process the environment is not read.
/// What is not understood is named in `warning`, one line, left empty where all was.
void ck_options_read(ck_settings *settings, char *warning, size_t capacity);

#pragma GCC visibility pop
