#pragma once
// Environment variables. Not for handlers.

#pragma GCC visibility push(hidden)

/// An environment variable, or NULL in a privileged process or where it is empty.
const char *ck_environment(const char *name);

#pragma GCC visibility pop
