#pragma once
// Declarations of libdispatch and the kernel that ThreadGuard needs and Swift does not import.

#include "access.h"
#include "accounts.h"
#include "current_queue.h"
#include "guarded.h"
#include "identity.h"
#include "kinds.h"
#include "nan_trap.h"
#include "own_stack.h"
#include "perturb.h"
#include "rules.h"
#include "violation.h"
#include "violation_options.h"
#include "violation_store.h"
#include "violations.h"
#include "work.h"
