#pragma once
// The guard of allocations as a library that `crashsym run` preloads. It has nothing to call.
