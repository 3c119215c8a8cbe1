#pragma once
// The words that writers and readers of reports share, each in one place. Only tables, without policy and state.

#include "capture_request.h"
#include "causes.h"
#include "own_code.h"
#include "signals.h"
#include "swift_task_layout.h"
#include "swift_task_search.h"
#include "dispatch_objects.h"
#include "futex_waits.h"
#include "tail_calls.h"
