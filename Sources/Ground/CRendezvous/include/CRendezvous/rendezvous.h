#pragma once
// The connection between the parts of a program. CrashKit and ThreadGuard may each be linked, preloaded or absent, so
// neither calls the other directly: each looks the other's functions up by these names, with dlsym or as a weak symbol.

/// CrashKit's preload library: `void (void)` gives way to a copy that the program links.
#define RENDEZVOUS_CRASHKIT_STEP_ASIDE "crashkit_preload_step_aside"
/// CrashKit's preload library: `void (void (*adopt)(const crp_crash_capture *))` calls `adopt` with what it lends.
#define RENDEZVOUS_CRASHKIT_LEND_TO "crashkit_preload_lend_to"
/// ThreadGuard's preload library: `void (void)` gives way to a copy that the program links.
#define RENDEZVOUS_THREADGUARD_STEP_ASIDE "threadguard_preload_step_aside"
/// ThreadGuard's preload library: `void (const crp_crash_capture *)` takes what CrashKit lends.
#define RENDEZVOUS_THREADGUARD_ADOPT "threadguard_preload_adopt"
/// `int (const crv_section_provider *)` of section_providers.h.
#define RENDEZVOUS_ADD_SECTION_PROVIDER "cph_add_section_provider"
/// `int (const crv_thread_observer *)` of process_threads.h.
#define RENDEZVOUS_OBSERVE_THREADS "cph_observe_threads"
/// `void (bool (*)(int, siginfo_t *, void *))`: asked first about the signal of a fault.
#define RENDEZVOUS_FILTER_FAULTS "cph_filter_faults"
/// `crv_memory_guard` of memory_guard.h: what is guarded of the program's memory.
#define RENDEZVOUS_MEMORY_GUARD "crashkit_memory_guard"
