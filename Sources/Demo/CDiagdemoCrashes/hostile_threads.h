#pragma once
#include <pthread.h>
#include <stdbool.h>

// Functions that the hostile kinds share. If something is not available, they say so on standard error, and the caller
// returns.

/// Starts a thread of that body, with a small stack; prints an error and returns false if that fails.
bool start_thread(void *(*body)(void *), void *argument);

/// False, said with errno, where `condition` is false.
bool had(bool condition, const char *what);
