// Reads words of the calling thread's own stack, between a frame of the caller's and the stack's upper end.

#include "current/frames.h"

#ifdef THREADGUARD

#include <stdatomic.h>
#include <stdbool.h>
#include <unwind.h>

#include "CGround/return_address.h"
#include "current_queue.h"

/// The upper end of the main thread's stack, kept by the loader.
extern void *__libc_stack_end;

/// libc puts a thread's own words at the upper end of its stack, which is mapped without a gap; one that is further off
/// belongs to another stack than the one that the thread runs on.
#define STACK_LIMIT_BYTES (1ul << 30)

static uintptr_t upper_end(void) {
  return ctg_is_main_thread() ? (uintptr_t)__libc_stack_end : (uintptr_t)__builtin_thread_pointer();
}

size_t ctg_frames_above(const void *frame, uintptr_t *addresses, size_t capacity) {
  uintptr_t at = (uintptr_t)frame, end = upper_end();
  size_t count = 0;
  if (at >= end || end - at > STACK_LIMIT_BYTES) return 0;
  while (count < capacity && at <= end - 2 * sizeof(uintptr_t) && at % sizeof(uintptr_t) == 0) {
    const uintptr_t *words = (const uintptr_t *)at;
    if (words[1] == 0) break;
    addresses[count++] = cgr_without_signature(words[1]);
    // An asynchronous Swift function marks its frame in the highest bits of the saved pointer.
    uintptr_t next = words[0] & ~(0xful << 60);
    if (next <= at) break;
    at = next;
  }
  return count;
}

// --- One frame without a frame pointer -----------------------------------------------------------------------------

#ifdef __x86_64__

/// Places from which calls came, with the size of the frame there; it is the same for every call from that place.
#define SHAPES 64
/// Of a frame whose size is not known, or that does not begin with the caller's frame pointer.
#define NO_SHAPE UINT32_MAX

static struct {
  _Atomic uintptr_t place;
  _Atomic uint32_t size;
} shapes[SHAPES];

/// The frame pointer's number in DWARF.
#define FRAME_REGISTER 6

struct measurement {
  uintptr_t place, start, end, frame_pointer;
};

// libgcc's word for a frame is where its callee's begins.
static _Unwind_Reason_Code measure_frame(struct _Unwind_Context *context, void *argument) {
  struct measurement *measurement = argument;
  if (measurement->start) {
    measurement->end = _Unwind_GetCFA(context);
    measurement->frame_pointer = _Unwind_GetGR(context, FRAME_REGISTER);
    return _URC_END_OF_STACK;
  }
  if (_Unwind_GetIP(context) == measurement->place) measurement->start = _Unwind_GetCFA(context);
  return _URC_NO_REASON;
}

static uint32_t measure(uintptr_t place) {
  struct measurement measurement = {.place = place};
  _Unwind_Backtrace(measure_frame, &measurement);
  if (measurement.end <= measurement.start || measurement.end - measurement.start > UINT16_MAX) return NO_SHAPE;
  const uintptr_t *kept = (const uintptr_t *)measurement.end - 2;
  return *kept == measurement.frame_pointer ? (uint32_t)(measurement.end - measurement.start) : NO_SHAPE;
}

static uint32_t size_of_frame_at(uintptr_t place) {
  size_t at = (place >> 2) % SHAPES;
  if (atomic_load_explicit(&shapes[at].place, memory_order_acquire) == place) {
    uint32_t size = atomic_load_explicit(&shapes[at].size, memory_order_relaxed);
    // Another place may have come to stand here meanwhile.
    if (atomic_load_explicit(&shapes[at].place, memory_order_acquire) == place) return size;
  }
  uint32_t size = measure(place);
  atomic_store_explicit(&shapes[at].place, 0, memory_order_relaxed);
  atomic_store_explicit(&shapes[at].size, size, memory_order_release);
  atomic_store_explicit(&shapes[at].place, place, memory_order_release);
  return size;
}

size_t ctg_frames_of_caller(const void *frame, uintptr_t *addresses, size_t capacity) {
  const uintptr_t *words = frame;
  if (capacity < 2) return 0;
  addresses[0] = words[1];
  uint32_t size = size_of_frame_at(words[1]);
  uintptr_t callers = (uintptr_t)(words + 2) + size - 2 * sizeof(uintptr_t);
  if (size == NO_SHAPE || callers >= upper_end()) return 1;
  return 1 + ctg_frames_above((const void *)callers, addresses + 1, capacity - 1);
}

#else

// Every function that calls another one keeps a frame pointer.
size_t ctg_frames_of_caller(const void *frame, uintptr_t *addresses, size_t capacity) {
  return ctg_frames_above(frame, addresses, capacity);
}

#endif

#endif
