#pragma once
// Checks whether an access that the processor refused is possible now. The kernel tries it, so that no fault can occur.

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#pragma GCC visibility push(hidden)

typedef enum ck_refused_access {
  CK_REFUSED_UNKNOWN,  // no access to memory, or an access that the kernel would try in another way
  CK_REFUSED_READ,
  CK_REFUSED_WRITE,
} ck_refused_access;

/// Of a fault, by what the handler was given. Async-signal-safe.
ck_refused_access ck_refused_access_of(const siginfo_t *info, const ucontext_t *context);

/// Whether it would succeed now. What lies at the address stays as it is. Async-signal-safe.
bool ck_access_is_possible(ck_refused_access refused, uintptr_t address);

#pragma GCC visibility pop
