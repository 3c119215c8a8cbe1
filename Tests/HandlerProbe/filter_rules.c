// Filters made by chance: what CrashKit reads from their rules against what the kernel does.
#include "filter_rules.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "CGround/syscalls.h"
#include "probe.h"

// They change nothing, whatever their arguments are. The last one does not exist.
static const int calls[] = {SYS_getppid, SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_sched_yield, 500};
#define CALLS (sizeof calls / sizeof *calls)

static uint32_t state;
static uint32_t chance(uint32_t below) {
  state = state * 1664525 + 1013904223;
  return (state >> 8) % below;
}

#define RULES_MAX 40
static struct sock_filter rules[RULES_MAX];
static const uint32_t answers[] = {SECCOMP_RET_ALLOW, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_KILL_PROCESS,
                                   SECCOMP_RET_TRAP};
static const uint16_t operations[] = {BPF_ADD, BPF_SUB, BPF_MUL, BPF_AND, BPF_OR, BPF_LSH, BPF_RSH, BPF_NEG};
static const uint16_t comparisons[] = {BPF_JEQ, BPF_JGT, BPF_JGE, BPF_JSET};

#define RULE(c, value) ((struct sock_filter){.code = (uint16_t)(c), .k = (value)})

static uint32_t some_number(void) { return (uint32_t)calls[chance(CALLS)]; }

static struct sock_filter jump(size_t at, size_t count) {
  uint32_t room = (uint32_t)(count - at - 2);
  uint16_t source = chance(4) == 0 ? BPF_X : BPF_K;
  struct sock_filter rule = RULE(BPF_JMP | comparisons[chance(4)] | source, source == BPF_X ? 0 : some_number());
  rule.jt = (uint8_t)chance(room + 1);
  rule.jf = (uint8_t)chance(room + 1);
  return rule;
}

static struct sock_filter compute(void) {
  uint16_t operation = operations[chance(8)];
  bool shifts = operation == BPF_LSH || operation == BPF_RSH;
  if (operation == BPF_NEG) return RULE(BPF_ALU | BPF_NEG, 0);
  if (!shifts && chance(3) == 0) return RULE(BPF_ALU | operation | BPF_X, 0);
  return RULE(BPF_ALU | operation | BPF_K, shifts ? chance(4) : some_number());
}

static struct sock_filter move(bool with_arguments) {
  switch (chance(with_arguments ? 9 : 8)) {
    case 0: return RULE(BPF_LD | BPF_W | BPF_LEN, 0);
    case 1: return RULE(BPF_LDX | BPF_W | BPF_LEN, 0);
    case 2: return RULE(BPF_LD | BPF_IMM, some_number());
    case 3: return RULE(BPF_LDX | BPF_IMM, some_number());
    case 4: return RULE(BPF_MISC | BPF_TAX, 0);
    case 5: return RULE(BPF_MISC | BPF_TXA, 0);
    case 6: return RULE(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
    case 7: return RULE(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch));
    default: return RULE(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args) + 4 * chance(12));
  }
}

// Other calls than these pass, so that the child can end. If the ways are uncertain, a rule may look at an argument, or
// at a word that was stored.
static unsigned short make_rules(bool is_uncertain) {
  size_t count = 0;
  rules[count++] = RULE(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr));
  for (size_t i = 0; i < CALLS; ++i) {
    rules[count] = RULE(BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)calls[i]);
    rules[count++].jt = (uint8_t)(CALLS - i);
  }
  rules[count++] = RULE(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  rules[count++] = RULE(BPF_ST, 3);
  rules[count++] = RULE(BPF_STX, 5);
  size_t end = count + 4 + chance(RULES_MAX - (uint32_t)count - 5);
  for (; count + 1 < end; ++count) {
    switch (chance(6)) {
      case 0:
      case 1: rules[count] = jump(count, end); break;
      case 2: rules[count] = compute(); break;
      case 3:
        rules[count] =
            is_uncertain ? RULE(chance(2) ? BPF_LD | BPF_MEM : BPF_LDX | BPF_MEM, chance(2) ? 3 : 5) : move(false);
        break;
      case 4: rules[count] = chance(4) ? move(is_uncertain) : RULE(BPF_RET | BPF_A, 0); break;
      default: rules[count] = chance(3) ? move(is_uncertain) : RULE(BPF_RET | BPF_K, answers[chance(4)]); break;
    }
  }
  rules[count++] = RULE(BPF_RET | BPF_K, answers[chance(4)]);
  return (unsigned short)count;
}

static void go_on(int signal) { (void)signal; }

// Past CrashKit, which reads what the program sets. SECCOMP_RET_TRAP is survived by a handler.
static bool kernel_kills(const struct sock_fprog *filter, int number) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    signal(SIGSYS, go_on);
    if (cgr_syscall5(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) cgr_syscall1(SYS_exit_group, 2);
    if (cgr_syscall3(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, filter) != 0) cgr_syscall1(SYS_exit_group, 3);
    cgr_syscall0(number);
    cgr_syscall1(SYS_exit_group, 0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSYS;
}

// PROBE_TIMES filters. Exits with 7 if CrashKit never said that a call passes for which the kernel kills, and, for
// filters whose ways are certain, never the opposite.
static int filters_by_chance(void) {
  size_t killing = 0, sound = 0;
  for (size_t round = number_from_environment("PROBE_TIMES"); round > 0; --round) {
    state = (uint32_t)round;
    bool is_uncertain = round % 2 == 0;
    struct sock_fprog filter = {.len = make_rules(is_uncertain), .filter = rules};
    cgr_call_set read;
    CHECK(cph_filter_bars(&filter, &read));
    for (size_t i = 0; i < CALLS; ++i) {
      bool says_so = cgr_call_set_has(&read, calls[i]), does_so = kernel_kills(&filter, calls[i]);
      CHECK(says_so || !does_so);
      CHECK(is_uncertain || says_so == does_so);
      *(does_so ? &killing : &sound) += 1;
    }
  }
  CHECK(killing > 0 && sound > 0);
  return 7;
}

static bool bars(unsigned short count, struct sock_filter *given, int number) {
  struct sock_fprog filter = {.len = count, .filter = given};
  cgr_call_set read;
  CHECK(cph_filter_bars(&filter, &read));
  return cgr_call_set_has(&read, number);
}

// What no chance finds.
static int filters_at_the_limits(void) {
  cgr_call_set read;
  static struct sock_filter longest[BPF_MAXINSNS];
  for (size_t i = 0; i + 1 < BPF_MAXINSNS; ++i) longest[i] = RULE(BPF_LD | BPF_IMM, 0);
  longest[BPF_MAXINSNS - 1] = RULE(BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
  CHECK(!bars(BPF_MAXINSNS, longest, SYS_openat));
  // Every second rule looks at an argument, and goes on at the same one for both answers: too many ways to count.
  for (size_t i = 0; i + 2 < BPF_MAXINSNS; i += 2) {
    longest[i] = RULE(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args));
    longest[i + 1] = RULE(BPF_JMP | BPF_JEQ | BPF_K, 1);
  }
  CHECK(!bars(BPF_MAXINSNS, longest, SYS_openat));
  longest[BPF_MAXINSNS - 1].k = SECCOMP_RET_KILL_THREAD;
  CHECK(bars(BPF_MAXINSNS, longest, SYS_openat));
  // A sum of what is unknown.
  struct sock_filter sum[] = {RULE(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args)),
                              RULE(BPF_ALU | BPF_ADD | BPF_K, 1), RULE(BPF_RET | BPF_A, 0)};
  CHECK(bars(3, sum, SYS_openat));
  // The kernel refuses these. Programs pass them to ask whether the kernel knows filters.
  CHECK(!cph_filter_bars(NULL, &read));
  struct sock_fprog filter = {.len = 0, .filter = longest};
  CHECK(!cph_filter_bars(&filter, &read));
  filter = (struct sock_fprog){.len = 4, .filter = (struct sock_filter *)protected_page()};
  CHECK(!cph_filter_bars(&filter, &read));
  CHECK(!cph_filter_bars((const struct sock_fprog *)protected_page(), &read));
  cph_strict_mode_bars(&read);
  for (int number = 0; number < CGR_CALLS; ++number) {
    bool is_allowed = number == SYS_read || number == SYS_write || number == SYS_exit || number == SYS_rt_sigreturn;
    CHECK(is_allowed != cgr_call_set_has(&read, number));
  }
  return 7;
}

const probe filter_rule_probes[] = {
    {"filters-by-chance", filters_by_chance},
    {"filters-at-the-limits", filters_at_the_limits},
    {NULL, NULL},
};
