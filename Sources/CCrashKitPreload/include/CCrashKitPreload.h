#pragma once

/// Takes the preloaded handlers out: called by a CrashKit that the program links itself, found by name.
__attribute__((visibility("default"))) void crashkit_preload_step_aside(void);
