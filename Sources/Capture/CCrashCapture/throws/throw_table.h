#pragma once
// The last errors that each thread threw, in reserved memory. The table keeps only addresses: it neither keeps an error
// alive nor changes its lifetime.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// How many threads have a ring of their own, how many throws each ring keeps, and how many frames each throw.
#define CK_THROW_RINGS 256
#define CK_THROWS_KEPT 32
#define CK_THROW_FRAMES 20
/// How many bytes of a typed error's value are kept, to know the error again.
#define CK_THROW_VALUE 24

typedef struct ck_throw {
  uint64_t time;         // CLOCK_MONOTONIC, nanoseconds
  uint64_t box;          // the error's address; 0 for a typed throw, which has no box yet
  uint64_t object;       // the box's first word, which all boxes have in common
  uint64_t type;         // the address of the type's metadata
  uint64_t conformance;  // the address of the type's conformance to Error
  uint64_t task;         // the number of the Swift task; 0 for none
  uint64_t sp;           // how deep the stack was
  uint32_t thread;
  uint32_t context;  // the number of the context; 0 for none
  uint8_t value_size;
  uint8_t frame_count;
  bool is_whole;  // the frames reach the end of the stack
  uint8_t value[CK_THROW_VALUE];
  uint64_t frames[CK_THROW_FRAMES];  // return addresses, the innermost first
} ck_throw;

/// Sets the table's memory aside. Not for handlers. Returns false if there is none.
bool ck_throws_prepare(void);
/// Whether ck_throws_prepare has done so. Async-signal-safe.
bool ck_throws_are_kept(void);
/// Switches recording on or off. Thread-safe.
void ck_throws_record(bool on);

/// What the runtime says of a throw. `box` or `value` is NULL.
typedef struct ck_thrown_error {
  const void *box;
  const void *value;
  const void *type;
  const void *conformance;
} ck_thrown_error;

/// Records a throw of the calling thread. `frame` is the frame record of the hook that the runtime called, and
/// `throwing` a function of the runtime that may stand between it and the program's own; 0 if there is none. Keeps
/// errno. Not for handlers: a thread's first throw looks for its stack.
void ck_throws_add(const ck_thrown_error *error, const uintptr_t *frame, uintptr_t throwing);

/// Gives the calling thread's ring back, with its throws in it.
void ck_throws_end_thread(void);
/// In a forked child: gives the rings of threads back that it does not have.
void ck_throws_after_fork(void);

/// How many errors were thrown while recording was on. Async-signal-safe.
uint64_t ck_throws_seen(void);
/// Whether the throw at a place of a ring may be of the error in this box, or of a typed error of this type: a quick
/// look that ck_throw_read then makes sure of. Async-signal-safe.
bool ck_throw_may_be_of(size_t ring, size_t place, uint64_t box, uint64_t type);
/// The throw at a place of a ring. Returns false if none is there, or it is being written. Async-signal-safe.
bool ck_throw_read(size_t ring, size_t place, ck_throw *copy);

#pragma GCC visibility pop
