#pragma once
// The trap for invalid floating-point operations: the processor raises a signal at the operation that makes the first
// NaN, and ThreadGuard notes the operation. Then the operation runs without the trap, and the program continues with
// the NaN.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#pragma GCC visibility push(hidden)

enum ctg_nan_nature {
  CTG_NAN_BORN,      // made from operands that were numbers
  CTG_NAN_CONSUMED,  // compared or converted: it was made earlier, or elsewhere
  CTG_NAN_NONE,      // a number that does not fit an integer: compilers convert to UInt64 that way on purpose
  CTG_NAN_TOO_MANY,  // the trap gives up: it has been sprung so often that it holds up the program
};

/// What the instruction did: an operator, or one of these letters.
enum ctg_nan_operator {
  CTG_NAN_UNKNOWN = '?',
  CTG_NAN_SQUARE_ROOT = 'r',
  CTG_NAN_MINIMUM = 'm',
  CTG_NAN_MAXIMUM = 'M',
  CTG_NAN_COMPARISON = '<',
  CTG_NAN_CONVERSION = 'i',
  CTG_NAN_MULTIPLY_ADD = 'f',
};

enum { CTG_NAN_FRAMES = 64 };

struct ctg_nan {
  enum ctg_nan_nature nature;
  char operation;
  /// What is known of the operands, in their order.
  double operands[2];
  unsigned operand_count;
  /// The entries of a stack (violations.h); the first is the instruction.
  uintptr_t frames[CTG_NAN_FRAMES];
  size_t frame_count;
  pid_t thread;
  char thread_name[16];
  uint64_t account;
};

/// Installs the handlers, once. Returns 0; or ENOTSUP if the processor has no such trap. Safe from any thread.
int ctg_nan_prepare(void);

/// Sets or unsets the trap for the calling thread; returns whether it was set.
bool ctg_nan_set(bool set);

/// Sets or unsets it for threads that are made later: those whose creator has it set, and, where CrashKit's hooks are
/// linked, all. Returns whether it is all. Safe from any thread.
bool ctg_nan_set_for_new_threads(bool set);

/// Whether the process dies of the signal, where the first NaN is made. Safe from any thread.
void ctg_nan_set_fatal(bool fatal);

/// Waits for a NaN that comes from a new place. For one thread, which has no trap; the thread that sprang it waits for
/// ctg_nan_is_told, though no longer than two seconds.
void ctg_nan_wait(struct ctg_nan *nan);
void ctg_nan_is_told(void);

#pragma GCC visibility pop
