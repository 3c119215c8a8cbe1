#pragma once
// The data of the guard for a crash report.

#include "CRendezvous/memory_guard.h"

/// CrashKit finds it by RENDEZVOUS_MEMORY_GUARD.
extern __attribute__((visibility("default"))) crv_memory_guard crashkit_memory_guard;
