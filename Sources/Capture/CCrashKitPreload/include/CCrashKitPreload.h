#pragma once

struct crp_crash_capture;

/// Takes the preloaded handlers out: called by a CrashKit that the program links itself, found by name.
__attribute__((visibility("default"))) void crashkit_preload_step_aside(void);

/// Hands the preloaded capture, if it is installed, to `adopt`: called by a ThreadGuard that the program links
/// itself, found by name.
__attribute__((visibility("default"))) void crashkit_preload_lend_to(
    void (*adopt)(const struct crp_crash_capture *capture));
