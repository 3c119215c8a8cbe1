#pragma once

/// Takes the preloaded handlers out: called by a CrashKit that the program links itself, found by name.
__attribute__((visibility("default"))) void crashkit_preload_step_aside(void);

/// Adds a section provider (a `const cph_section_provider *`) to reports, for a ThreadGuard outside this library, found by
/// name. Returns 0, or ENOMEM when all places are taken. Safe from any thread.
__attribute__((visibility("default"))) int crashkit_add_section_provider(const void *provider);
