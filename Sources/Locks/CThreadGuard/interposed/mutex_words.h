#pragma once
// The meaning of the words of a mutex. They are part of glibc's ABI, since initialisers are compiled into programs.

#include <limits.h>

#include "interposed/hooks.h"

// glibc's bits of a mutex's kind (sysdeps/nptl/pthreadP.h).
#define KIND_TYPE 3
#define KIND_RECURSIVE 1
#define KIND_ERROR_CHECKING 2
#define KIND_ROBUST 16
#define KIND_INHERITS_PRIORITY 32
#define KIND_PROTECTS_PRIORITY 64
#define KIND_SHARED 128
#define KIND_ELISION 768
#define KIND_DESTROYED UINT_MAX
#define KIND_OPAQUE (KIND_ROBUST | KIND_INHERITS_PRIORITY | KIND_PROTECTS_PRIORITY | KIND_SHARED)

static inline unsigned kind_of(const pthread_mutex_t *mutex) {
  return (unsigned)__atomic_load_n(&mutex->__data.__kind, __ATOMIC_RELAXED);
}

/// Whether a mutex can be of this kind. What was destroyed is of none.
static inline bool is_kind(unsigned kind) { return (kind & ~(unsigned)(KIND_TYPE | KIND_OPAQUE | KIND_ELISION)) == 0; }

/// Whether its words say which thread of this process has it.
static inline bool names_owner(unsigned kind) { return !(kind & (KIND_SHARED | KIND_ROBUST)); }

static inline int owner_of(const pthread_mutex_t *mutex) {
  return __atomic_load_n(&mutex->__data.__owner, __ATOMIC_RELAXED);
}

static inline bool is_free(const pthread_mutex_t *mutex) {
  return __atomic_load_n(&mutex->__data.__lock, __ATOMIC_RELAXED) == 0;
}

static inline enum ctg_lock_type type_of(unsigned kind) {
  return (kind & KIND_TYPE) == KIND_RECURSIVE ? CTG_RECURSIVE_MUTEX : CTG_MUTEX;
}

static inline uint8_t flags_of(unsigned kind) {
  if (!UNLIKELY(kind & KIND_OPAQUE)) return 0;
  return CTG_LOCK_IS_OPAQUE | (kind & KIND_ROBUST ? CTG_LOCK_IS_ROBUST : 0);
}

static inline unsigned *identity_place(const pthread_mutex_t *mutex) { return (unsigned *)&mutex->__data.__list; }

static inline uint32_t identity_of(const pthread_mutex_t *mutex, unsigned kind) {
  if (UNLIKELY(kind & KIND_OPAQUE)) return ctg_generation((uintptr_t)mutex);
  return __atomic_load_n(identity_place(mutex), __ATOMIC_RELAXED);
}

static inline struct ctg_held place_of(const pthread_mutex_t *mutex, const uintptr_t *frame) {
  unsigned kind = kind_of(mutex);
  struct ctg_held place = ctg_place((uintptr_t)mutex, type_of(kind), flags_of(kind), frame);
  place.identity = identity_of(mutex, kind);
  return place;
}

/// Reports a call with something that is no mutex. Returns true then.
static inline bool refuses(struct ctg_thread_state *self, const pthread_mutex_t *mutex, const uintptr_t *frame) {
  unsigned kind = kind_of(mutex);
  if (is_kind(kind)) return false;
  struct ctg_held place = ctg_place((uintptr_t)mutex, CTG_MUTEX, CTG_LOCK_IS_OPAQUE, frame);
  ctg_misuse(self, &place, NULL, kind == KIND_DESTROYED ? CTG_RULE_USED_AFTER_DESTROY : CTG_RULE_NOT_A_MUTEX, NULL);
  return true;
}
