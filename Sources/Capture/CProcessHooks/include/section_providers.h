#pragma once
// The parts that add sections of their own to a crash report.

#include "CRendezvous/section_provider.h"

#pragma GCC visibility push(hidden)

#define CPH_SECTION_PROVIDERS 8

/// Adds a provider, for good; the structure must live as long as the process. Returns 0, or ENOMEM when all places are
/// taken. Safe from any thread.
int cph_add_section_provider(const crv_section_provider *provider);

/// The provider in place `index`, or NULL. Async-signal-safe.
const crv_section_provider *cph_section_provider_at(int index);

#pragma GCC visibility pop
