// Runs the rules of a filter of system calls for each call. The kernel's rules for such rules: seccomp(2), and
// seccomp_check_filter in its kernel/seccomp.c.

#include "filter_rules.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/auxv.h>

#include "CGround/syscalls.h"

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#else
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#endif

// For one call. Filters that libseccomp makes of 300 rules run less than 100 steps.
#define STEPS_MAX 20000
// Of branches that depend on an argument, inside each other.
#define DEPTH_MAX 32

// A word that depends on what only the kernel knows has no value.
typedef struct word {
  uint32_t value;
  bool is_known;
} word;

typedef struct machine {
  word a, x, memory[BPF_MEMWORDS];
} machine;

typedef struct run {
  const struct sock_filter *rules;
  uint32_t count;
  uint32_t number;
  uint32_t steps;
} run;

static word known(uint32_t value) { return (word){value, true}; }

static bool kills(uint32_t answer) {
  switch (answer & SECCOMP_RET_ACTION_FULL) {
    case SECCOMP_RET_TRAP:
    case SECCOMP_RET_ERRNO:
    case SECCOMP_RET_USER_NOTIF:
    case SECCOMP_RET_TRACE:
    case SECCOMP_RET_LOG:
    case SECCOMP_RET_ALLOW: return false;
    // The kernel takes an answer that it does not know for SECCOMP_RET_KILL_PROCESS.
    default: return true;
  }
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

// All but jumps and answers. Returns false for what the kernel would not have taken.
static bool step(const run *run, machine *state, const struct sock_filter *rule) {
  switch (rule->code) {
    case BPF_LD | BPF_W | BPF_ABS: state->a = load(run, rule->k); return true;
    case BPF_LD | BPF_W | BPF_LEN: state->a = known(sizeof(struct seccomp_data)); return true;
    case BPF_LDX | BPF_W | BPF_LEN: state->x = known(sizeof(struct seccomp_data)); return true;
    case BPF_LD | BPF_IMM: state->a = known(rule->k); return true;
    case BPF_LDX | BPF_IMM: state->x = known(rule->k); return true;
    case BPF_MISC | BPF_TAX: state->x = state->a; return true;
    case BPF_MISC | BPF_TXA: state->a = state->x; return true;
    default: break;
  }
  uint16_t class = BPF_CLASS(rule->code);
  if (class == BPF_ALU) {
    return compute(state, BPF_OP(rule->code), BPF_SRC(rule->code) == BPF_X ? state->x : known(rule->k));
  }
  if (rule->k >= BPF_MEMWORDS) return false;
  switch (rule->code) {
    case BPF_LD | BPF_MEM: state->a = state->memory[rule->k]; return true;
    case BPF_LDX | BPF_MEM: state->x = state->memory[rule->k]; return true;
    case BPF_ST: state->memory[rule->k] = state->a; return true;
    case BPF_STX: state->memory[rule->k] = state->x; return true;
    default: return false;
  }
}

// The kernel takes jumps forwards only, so each way ends.
static bool may_kill(run *run, uint64_t at, machine state, int depth) {
  for (; at < run->count && run->steps < STEPS_MAX; ++at) {
    ++run->steps;
    const struct sock_filter *rule = &run->rules[at];
    uint16_t class = BPF_CLASS(rule->code);
    if (class == BPF_RET) {
      bool is_answer_known = BPF_RVAL(rule->code) == BPF_K || state.a.is_known;
      return !is_answer_known || kills(BPF_RVAL(rule->code) == BPF_K ? rule->k : state.a.value);
    }
    if (rule->code == (BPF_JMP | BPF_JA)) {
      at += rule->k;
    } else if (class == BPF_JMP) {
      word operand = BPF_SRC(rule->code) == BPF_X ? state.x : known(rule->k);
      bool takes_both = !state.a.is_known || !operand.is_known;
      if (takes_both && (depth == DEPTH_MAX || may_kill(run, at + 1 + rule->jt, state, depth + 1))) return true;
      at += !takes_both && holds(state.a.value, BPF_OP(rule->code), operand.value) ? rule->jt : rule->jf;
    } else if (!step(run, &state, rule)) {
      return true;
    }
  }
  return true;
}

// The kernel reads a mask before it finds that what is to be done with it makes no sense.
static bool can_be_read(uintptr_t address) { return cgr_syscall4(SYS_rt_sigprocmask, -1, address, NULL, 8) != -EFAULT; }

static bool can_be_read_to(uintptr_t from, uintptr_t last) {
  uintptr_t page = (uintptr_t)getauxval(AT_PAGESZ);
  for (uintptr_t at = from; at < last; at = (at & ~(page - 1)) + page)
    if (!can_be_read(at)) return false;
  return can_be_read(last);
}

bool cph_filter_kills(const struct sock_fprog *filter, cgr_call_set *calls) {
  *calls = (cgr_call_set){{0}};
  if (!can_be_read_to((uintptr_t)filter, (uintptr_t)(filter + 1) - 8)) return false;
  run run = {.rules = filter->filter, .count = filter->len};
  if (run.count == 0 || run.count > BPF_MAXINSNS) return false;
  if (!can_be_read_to((uintptr_t)run.rules, (uintptr_t)(run.rules + run.count) - 8)) return false;
  for (; run.number < CGR_CALLS; ++run.number) {
    run.steps = 0;
    // The kernel's own start: all is zero.
    machine start = {.a = known(0), .x = known(0)};
    if (may_kill(&run, 0, start, 0)) calls->words[run.number / 64] |= 1ull << run.number % 64;
  }
  return true;
}

void cph_strict_mode_kills(cgr_call_set *calls) {
  static const int allowed[] = {SYS_read, SYS_write, SYS_exit, SYS_rt_sigreturn};
  for (int i = 0; i < CGR_CALLS / 64; ++i) calls->words[i] = ~0ull;
  for (unsigned i = 0; i < sizeof allowed / sizeof *allowed; ++i)
    calls->words[allowed[i] / 64] &= ~(1ull << allowed[i] % 64);
}
