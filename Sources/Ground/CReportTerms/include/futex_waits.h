#pragma once
// The object for which a thread waits in futex(2), found by the waiting library function and by the words of glibc's
// locks. This works in a process and in its core file. The functions use only a table and data that was read.
// Async-signal-safe.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

typedef enum term_wait {
  TERM_WAIT_NONE,  // for nothing, or for an unknown object
  TERM_WAIT_MUTEX,
  TERM_WAIT_INHERITING_MUTEX,  // whose owner the kernel knows, as of Swift's Mutex
  TERM_WAIT_READ_LOCK,
  TERM_WAIT_WRITE_LOCK,
  TERM_WAIT_CONDITION,
  TERM_WAIT_THREAD,  // for another thread's end: the wait expects that thread's id
  TERM_WAIT_SEMAPHORE,
  TERM_WAIT_BARRIER,
  TERM_WAIT_OWNERLESS_MUTEX,  // Swift's Mutex of a runtime without priority inheritance
  TERM_WAIT_QUEUE,            // of libdispatch, as the next three: known by dispatch_objects.h
  TERM_WAIT_GROUP,
  TERM_WAIT_WORK_ITEM,  // for a group that stands for the end of a DispatchWorkItem
  TERM_WAIT_ONCE,       // for another thread's initialisation of a variable
} term_wait;

/// A function that waits, by its name in its library.
typedef struct term_wait_function {
  const char *library;
  const char *name;
  term_wait kind;
  uint32_t frames;  // it is one of so many innermost ones, if the thread waits for this
} term_wait_function;
/// The largest of those.
#define TERM_WAIT_FRAMES 6

/// The rows of the table, from 0 on; NULL behind the last one.
const term_wait_function *term_wait_function_at(size_t index);

/// What a thread waits for in futex(2) with this operation, called by a function that waits for `function`. Waits of
/// libdispatch for a queue or a group are none.
term_wait term_wait_in_futex(term_wait function, uint64_t operation);

/// As reports name it; NULL for none.
const char *term_wait_type(term_wait kind);

/// The address of what is waited for, by the operation on a word that the kernel looks at, and that word's address.
uint64_t term_wait_lock(term_wait kind, uint64_t operation, uint64_t word);

#define TERM_OWNER_WORDS_MAX 5
/// How many words of 32 bits say who has it, and where they begin; 0 if none do.
size_t term_owner_words(term_wait kind);
uint64_t term_owner_place(term_wait kind, uint64_t operation, uint64_t word);
/// The thread that has it, or that is to end, by those words; 0 if they do not say.
int term_owner(term_wait kind, const uint32_t *words);

#pragma GCC visibility pop
