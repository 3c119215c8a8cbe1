#pragma once
// The capture core, which CrashKit's Swift library and the preload library call.

#include "attributes.h"
#include "breadcrumbs.h"
#include "contexts.h"
#include "install.h"
#include "live_capture.h"
#include "live_result.h"
#include "live_tasks.h"
#include "memory_shortage.h"
#include "record_types.h"
#include "region_view.h"
#include "task_facts.h"
