// The account for which a thread works. Plain memory, and the calls of its source.

#include "accounts.h"

#include <stdatomic.h>
#include <stddef.h>

#define INITIAL_EXEC __attribute__((tls_model("initial-exec")))

static _Thread_local INITIAL_EXEC uint64_t acts_for, of_work;
static _Atomic(uint64_t (*)(void)) account_source;

void ctg_set_account_source(uint64_t (*source)(void)) {
  if (source) source();
  atomic_store_explicit(&account_source, source, memory_order_release);
}

void ctg_act_for(uint64_t account) { acts_for = account; }

uint64_t ctg_account_of_work(uint64_t account) {
  uint64_t outer = of_work;
  of_work = account;
  return outer;
}

uint64_t ctg_current_account(void) {
  if (acts_for) return acts_for;
  uint64_t (*source)(void) = atomic_load_explicit(&account_source, memory_order_acquire);
  uint64_t account = source ? source() : 0;
  return account ? account : of_work;
}
