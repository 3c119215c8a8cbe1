#pragma once
// Shared definitions of the interposed functions. They are compiled into debug builds and into the preload library.

#include "current/frames.h"
#include "ground/libc_functions.h"
#include "ground/slow_path.h"
#include "locks/held.h"
#include "locks/quick_locks.h"
#include "locks/records.h"
#include "misuse/misuse.h"
#include "order/company.h"
#include "waiting/waits.h"

// noinline: else clang moves most of them into functions of their own, whose frames are not the caller's neighbours.
// weak: a program that stands in for one of them itself goes before.
#define INTERPOSED __attribute__((weak, visibility("default"), noinline))

/// The callee has this function's frame in its place, in optimised builds and others.
#define TAIL_CALL __attribute__((musttail))

#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

// Every function of libdispatch that is interposed, declared.
#define DISPATCH(result, name, parameters) extern result name parameters;
#include "interposed_by_threadguard.def"

/// libdispatch's own function of this name. With a static standard library it takes the place of ours, and is not
/// called from here.
#define DISPATCH_REAL(name)                          \
  ({                                                 \
    static void *_Atomic kept;                       \
    (typeof(name) *)ctg_real_dispatch(&kept, #name); \
  })
