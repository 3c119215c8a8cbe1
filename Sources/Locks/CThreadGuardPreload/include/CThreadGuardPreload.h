#pragma once

struct crp_crash_capture;

/// Stops the preloaded checks: called by a ThreadGuard that the program links itself, found by name.
__attribute__((visibility("default"))) void threadguard_preload_step_aside(void);

/// Lends a crash capture to the preloaded checks, or takes it back with NULL: called by CrashKit, found by name.
__attribute__((visibility("default"))) void threadguard_preload_adopt(const struct crp_crash_capture *capture);
