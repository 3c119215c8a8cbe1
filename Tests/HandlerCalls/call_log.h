#pragma once
// What the counting library and the tracer share: a mapped file that CALL_LOG names.

#include <stdatomic.h>
#include <stdint.h>

#define CALL_LOG_THREADS 4096
#define CALL_LOG_CALLS 16384

struct call {
  int32_t thread;
  char function[28];
  uint64_t caller;
};

struct call_log {
  _Atomic int32_t inside[CALL_LOG_THREADS];  // the threads that are in a handler; 0 where free
  _Atomic uint32_t inside_end;               // none lies at this index or behind it
  _Atomic uint32_t outside;                  // calls by any thread while none was in a handler
  _Atomic uint32_t count;                    // of calls by threads in a handler; may be more than fit
  struct call calls[CALL_LOG_CALLS];
};
