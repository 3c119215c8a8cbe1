#pragma once
// What CrashKit interposes in libc, owned in one place, and the ways for others to reach a report.
// interposed_by_crashkit.def lists the functions.

#include "call_filters.h"
#include "continuation_leaks.h"
#include "foreign_threads.h"
#include "handler_masks.h"
#include "handler_places.h"
#include "last_words.h"
#include "metric_slots.h"
#include "own_process.h"
#include "panic_words.h"
#include "process_exits.h"
#include "process_faults.h"
#include "process_masks.h"
#include "process_privileges.h"
#include "process_signals.h"
#include "process_threads.h"
#include "real_sigaction.h"
#include "region_storage.h"
#include "section_providers.h"
#include "signal_frames.h"
#include "signal_stacks.h"
