#pragma once
// The JSON that section providers write. Async-signal-safe.

#include "CProcessHooks.h"
#include "CReportParts/json.h"

#pragma GCC visibility push(hidden)

/// The face that section providers are given.
crv_json ck_json_for_providers(crp_json *json);

#pragma GCC visibility pop
