// Replacements for libc's allocating functions. They pass all unguarded allocations on to libc, and return the same
// results. Not for handlers, like libc's.

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/auxv.h>

#include "CGround/look_up.h"
#include "sampling.h"
#include "table.h"

#define INTERPOSED __attribute__((visibility("default"), used))
#define CALLER ((uintptr_t)__builtin_return_address(0))
/// What malloc promises is had anyway.
#define ANY_ALIGNMENT 1

extern void *__libc_malloc(size_t size);
extern void __libc_free(void *memory);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

// --- Allocation --------------------------------------------------------------------------------------------------

static inline void *sampled(size_t size, size_t alignment, uintptr_t caller) {
  return cmg_is_due() ? cmg_sample(size, alignment, caller) : NULL;
}

INTERPOSED void *malloc(size_t size) {
  void *guarded = sampled(size, ANY_ALIGNMENT, CALLER);
  return guarded ? guarded : __libc_malloc(size);
}

INTERPOSED void *calloc(size_t count, size_t size) {
  size_t all;
  void *guarded = __builtin_mul_overflow(count, size, &all) ? NULL : sampled(all, ANY_ALIGNMENT, CALLER);
  return guarded ? guarded : __libc_calloc(count, size);
}

static bool is_power_of_two(size_t number) { return number != 0 && (number & (number - 1)) == 0; }

static void *aligned(size_t alignment, size_t size, uintptr_t caller) {
  void *guarded = is_power_of_two(alignment) ? sampled(size, alignment, caller) : NULL;
  return guarded ? guarded : __libc_memalign(alignment, size);
}

INTERPOSED void *memalign(size_t alignment, size_t size) { return aligned(alignment, size, CALLER); }

INTERPOSED void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size, CALLER); }

INTERPOSED int posix_memalign(void **memory, size_t alignment, size_t size) {
  if (alignment % sizeof(void *) != 0 || !is_power_of_two(alignment)) return EINVAL;
  void *allocated = aligned(alignment, size, CALLER);
  if (!allocated) return ENOMEM;
  *memory = allocated;
  return 0;
}

INTERPOSED void *valloc(size_t size) { return aligned(getauxval(AT_PAGESZ), size, CALLER); }

INTERPOSED void *pvalloc(size_t size) {
  size_t page = getauxval(AT_PAGESZ);
  bool is_too_large = size > SIZE_MAX - page;
  return aligned(page, is_too_large ? SIZE_MAX : (size + page - 1) & ~(page - 1), CALLER);
}

// --- Release, and change of size ---------------------------------------------------------------------------------

INTERPOSED void free(void *memory) {
  if (!cmg_is_guarded(memory)) return __libc_free(memory);
  int error = errno;
  cmg_table_release(memory, CALLER);
  errno = error;
}

// To a place of its own, also if it shrinks: what still uses the old one is found out.
static void *move(void *memory, size_t size, uintptr_t caller) {
  if (size == 0) {
    cmg_table_release(memory, caller);
    return NULL;
  }
  size_t before = cmg_table_size(memory);
  void *moved = sampled(size, ANY_ALIGNMENT, caller);
  if (!moved) moved = __libc_malloc(size);
  if (!moved) return NULL;
  memcpy(moved, memory, size < before ? size : before);
  int error = errno;
  cmg_table_release(memory, caller);
  errno = error;
  return moved;
}

static void *resized(void *memory, size_t size, uintptr_t caller) {
  if (cmg_is_guarded(memory)) return move(memory, size, caller);
  void *guarded = memory ? NULL : sampled(size, ANY_ALIGNMENT, caller);
  return guarded ? guarded : __libc_realloc(memory, size);
}

INTERPOSED void *realloc(void *memory, size_t size) { return resized(memory, size, CALLER); }

INTERPOSED void *reallocarray(void *memory, size_t count, size_t size) {
  size_t all;
  if (__builtin_mul_overflow(count, size, &all)) {
    errno = ENOMEM;
    return NULL;
  }
  return resized(memory, all, CALLER);
}

// --- Size --------------------------------------------------------------------------------------------------------

typedef size_t size_function(void *memory);
static size_function *libcs_size;

// libc exports no second name of its own function.
__attribute__((constructor(101))) static void find_size_function(void) {
  libcs_size = (size_function *)cgr_look_up(RTLD_NEXT, "malloc_usable_size");
}

INTERPOSED size_t malloc_usable_size(void *memory) {
  if (cmg_is_guarded(memory)) return cmg_table_size(memory);
  if (!libcs_size) find_size_function();
  return libcs_size(memory);
}
