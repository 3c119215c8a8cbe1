#pragma once

/// Stops the preloaded checks: called by a ThreadGuard that the program links itself, found by name.
__attribute__((visibility("default"))) void threadguard_preload_step_aside(void);
