// Runs the rules of a filter of system calls for each call. The kernel's rules for such rules: seccomp(2), and
// seccomp_check_filter in its kernel/seccomp.c.

#include "filter_rules.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/auxv.h>
#include <sys/mman.h>

#include "CGround/syscalls.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// A word that depends on what only the kernel knows has no value.
typedef struct word {
  uint32_t value;
  bool is_known;
} word;

// What is known as a rule begins, on every way that leads to it.
typedef struct machine {
  word a, x;
  bool is_reached;
} machine;

typedef struct run {
  const struct sock_filter *rules;
  machine *machines;  // one for each rule
  uint32_t count;
  uint32_t number;
} run;

static word known(uint32_t value) { return (word){value, true}; }

// SIGSYS comes to our handler, which gives the call an error. The kernel takes an answer that it does not know for
// SECCOMP_RET_KILL_PROCESS.
static bool bars(uint32_t answer) {
  uint32_t action = answer & SECCOMP_RET_ACTION_FULL;
  return action != SECCOMP_RET_TRAP && action != SECCOMP_RET_ERRNO && action != SECCOMP_RET_TRACE
         && action != SECCOMP_RET_LOG && action != SECCOMP_RET_ALLOW;
}

static word load(const run *run, uint32_t offset) {
  if (offset == offsetof(struct seccomp_data, nr)) return known(run->number);
  if (offset == offsetof(struct seccomp_data, arch)) return known(OWN_ARCHITECTURE);
  return (word){0, false};
}

// Returns false for a division by zero, which ends the filter with the answer 0.
static bool compute(machine *state, uint16_t operation, word operand) {
  word *a = &state->a;
  if (operation == BPF_DIV && (!operand.is_known || operand.value == 0)) return false;
  a->is_known = a->is_known && operand.is_known;
  switch (operation) {
    case BPF_ADD: a->value += operand.value; return true;
    case BPF_SUB: a->value -= operand.value; return true;
    case BPF_MUL: a->value *= operand.value; return true;
    case BPF_DIV: a->value /= operand.value; return true;
    case BPF_AND: a->value &= operand.value; return true;
    case BPF_OR: a->value |= operand.value; return true;
    case BPF_XOR: a->value ^= operand.value; return true;
    case BPF_LSH: a->value <<= operand.value & 31; return true;
    case BPF_RSH: a->value >>= operand.value & 31; return true;
    case BPF_NEG: a->value = 0 - a->value; return true;
    default: return false;
  }
}

static bool holds(uint32_t a, uint16_t comparison, uint32_t operand) {
  switch (comparison) {
    case BPF_JEQ: return a == operand;
    case BPF_JGT: return a > operand;
    case BPF_JGE: return a >= operand;
    default: return (a & operand) != 0;
  }
}

// All but jumps and answers. What a filter has stored is not remembered. Returns false for what the kernel would not
// have taken.
static bool step(const run *run, machine *state, const struct sock_filter *rule) {
  switch (rule->code) {
    case BPF_LD | BPF_W | BPF_ABS: state->a = load(run, rule->k); return true;
    case BPF_LD | BPF_W | BPF_LEN: state->a = known(sizeof(struct seccomp_data)); return true;
    case BPF_LDX | BPF_W | BPF_LEN: state->x = known(sizeof(struct seccomp_data)); return true;
    case BPF_LD | BPF_IMM: state->a = known(rule->k); return true;
    case BPF_LDX | BPF_IMM: state->x = known(rule->k); return true;
    case BPF_MISC | BPF_TAX: state->x = state->a; return true;
    case BPF_MISC | BPF_TXA: state->a = state->x; return true;
    case BPF_LD | BPF_MEM: state->a.is_known = false; return true;
    case BPF_LDX | BPF_MEM: state->x.is_known = false; return true;
    case BPF_ST:
    case BPF_STX: return true;
    default: break;
  }
  if (BPF_CLASS(rule->code) != BPF_ALU) return false;
  return compute(state, BPF_OP(rule->code), BPF_SRC(rule->code) == BPF_X ? state->x : known(rule->k));
}

static word both(word one, word other) {
  return (word){one.value, one.is_known && other.is_known && one.value == other.value};
}

// A way leads to that rule. The kernel takes no filter with a way out of it.
static void lead_to(const run *run, uint64_t rule, const machine *state) {
  if (rule >= run->count) return;
  machine *there = &run->machines[rule];
  if (there->is_reached)
    *there = (machine){both(there->a, state->a), both(there->x, state->x), true};
  else
    *there = (machine){state->a, state->x, true};
}

// Returns whether the rule gives an answer that bars the call.
static bool go_on_from(const run *run, uint32_t at) {
  machine state = run->machines[at];
  const struct sock_filter *rule = &run->rules[at];
  uint16_t class = BPF_CLASS(rule->code);
  if (class == BPF_RET) {
    word answer = BPF_RVAL(rule->code) == BPF_K ? known(rule->k) : state.a;
    return !answer.is_known || bars(answer.value);
  }
  if (rule->code == (BPF_JMP | BPF_JA)) {
    lead_to(run, (uint64_t)at + 1 + rule->k, &state);
    return false;
  }
  if (class != BPF_JMP) {
    if (!step(run, &state, rule)) return true;
    lead_to(run, (uint64_t)at + 1, &state);
    return false;
  }
  word operand = BPF_SRC(rule->code) == BPF_X ? state.x : known(rule->k);
  bool is_decided = state.a.is_known && operand.is_known;
  bool is_true = is_decided && holds(state.a.value, BPF_OP(rule->code), operand.value);
  if (!is_decided || is_true) lead_to(run, (uint64_t)at + 1 + rule->jt, &state);
  if (!is_decided || !is_true) lead_to(run, (uint64_t)at + 1 + rule->jf, &state);
  return false;
}

// The kernel takes jumps forwards only: once through the rules is enough.
static bool may_bar(const run *run) {
  for (uint32_t at = 0; at < run->count; ++at) run->machines[at].is_reached = false;
  // The kernel's own start: all is zero.
  machine start = {.a = known(0), .x = known(0)};
  lead_to(run, 0, &start);
  for (uint32_t at = 0; at < run->count; ++at)
    if (run->machines[at].is_reached && go_on_from(run, at)) return true;
  return false;
}

// The kernel reads a mask before it finds that what is to be done with it makes no sense.
// Where the program's filters refuse the call, nothing is known.
static bool can_be_read(uintptr_t address) { return cgr_syscall4(SYS_rt_sigprocmask, -1, address, NULL, 8) == -EINVAL; }

static bool can_be_read_to(uintptr_t from, uintptr_t last) {
  uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ);
  for (uintptr_t at = from; at < last; at = (at & ~(page - 1)) + page)
    if (!can_be_read(at)) return false;
  return can_be_read(last);
}

bool cph_filter_bars(const struct sock_fprog *filter, cgr_call_set *calls) {
  *calls = (cgr_call_set){{0}};
  if (!can_be_read_to((uintptr_t)filter, (uintptr_t)(filter + 1) - 8)) return false;
  run run = {.rules = filter->filter, .count = filter->len};
  if (run.count == 0 || run.count > BPF_MAXINSNS) return false;
  if (!can_be_read_to((uintptr_t)run.rules, (uintptr_t)(run.rules + run.count) - 8)) return false;
  size_t bytes = run.count * sizeof *run.machines;
  long memory = cgr_syscall6(SYS_mmap, 0, (long)bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (cgr_syscall_failed(memory)) return false;
  run.machines = (machine *)memory;
  for (; run.number < CGR_CALLS; ++run.number)
    if (may_bar(&run)) cgr_call_set_add(calls, run.number);
  cgr_syscall2(SYS_munmap, memory, bytes);
  return true;
}

void cph_strict_mode_bars(cgr_call_set *calls) {
  static const int allowed[] = {SYS_read, SYS_write, SYS_exit, SYS_rt_sigreturn};
  for (int i = 0; i < CGR_CALLS / 64; ++i) calls->words[i] = ~0ull;
  for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; ++i) cgr_call_set_remove(calls, allowed[i]);
}
