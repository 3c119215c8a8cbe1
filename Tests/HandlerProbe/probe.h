#pragma once
// What the probe's parts share. Each part is one situation, asked for as `handler-probe NAME [before|after]`: whether
// the program's own handlers are in place before or after CrashKit is installed. What the program would have done
// without CrashKit is asked with CRASHKIT_OPTIONS=enable=no.
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#define CHECK(condition)                                                 \
  do {                                                                   \
    if (!(condition)) {                                                  \
      dprintf(2, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      _exit(99);                                                         \
    }                                                                    \
  } while (0)

/// The order that was asked for: false where CrashKit comes first.
extern bool handlers_come_first;

/// All arguments of the program.
extern char **probe_arguments;

/// Installs CrashKit; the probe fails where that fails, unless it is switched off.
void install_crashkit(void);

/// The same, beside a thread that runs `function` and waits at the barrier; returns once the thread is there.
pthread_t install_beside(void *(*function)(void *), pthread_barrier_t *barrier);

/// Sets an action for a signal, then or before installs CrashKit, as the order says.
void install_around(int signal, const struct sigaction *action);

/// Sets a handler as the Swift runtime sets its backtracer: one for seven signals, before CrashKit is installed.
void install_backtracer(void (*handler)(int, siginfo_t *, void *));

/// Removes the folder that reports go to.
void remove_report_folder(void);

/// A page that nothing may touch.
char *protected_page(void);
void open_page(void *page);
void close_page(void *page);

/// Memory with a page below it and one above it that nothing may touch. It ends at a page's end, so that a stack of so
/// many bytes begins beside the lower one.
char *guarded(size_t size);

/// One instruction that stores; callers in a loop fault at the same place with the same registers.
void store(volatile char *address);

/// Sets a handler of SIGSEGV, and more, that does nothing but count; CrashKit as the order says.
void say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/// Until the kernel has that thread asleep in a call. It must be in no other one that sleeps.
void await_sleep_of(pid_t process, pid_t thread);

/// Has the kernel answer one system call so (SECCOMP_RET_…), and allow all others. Returns what seccomp(2) does.
int filter_call(unsigned flags, int number, uint32_t answer);

/// Ways to set a filter: seccomp(2), prctl, and prctl's system call. `flags` are those of seccomp(2).
struct sock_filter;
struct sock_fprog;
typedef long filter_setter(unsigned flags, struct sock_fprog *program);
filter_setter by_seccomp, by_prctl, by_call_of_prctl;

/// As filter_call, in that way.
int filter_call_by(filter_setter *set, unsigned flags, int number, uint32_t answer);

/// Sets a filter of these rules in that way. Returns what the way does.
int set_filter(filter_setter *set, unsigned flags, struct sock_filter *rules, size_t count);

/// The system calls that a handler may make; behind the last one stands a name that is NULL.
typedef struct named_call {
  const char *name;
  int number;
} named_call;
extern const named_call named_calls[];

/// The number of the call that PROBE_CALL_NAME names.
int call_from_environment(void);

/// A number that the test has put into the environment.
size_t number_from_environment(const char *name);

/// An action with this handler and an empty mask.
struct sigaction action_of(void (*handler)(int, siginfo_t *, void *), int flags);

typedef struct probe {
  const char *name;
  int (*run)(void);
} probe;

extern const probe handler_probes[], ending_probes[], death_probes[], hostile_probes[], filter_probes[],
    filter_rule_probes[], bystander_probes[], disturber_probes[], fork_probes[], quiet_probes[], mask_probes[],
    stack_probes[], deep_stack_probes[], sent_probes[], stall_probes[], task_probes[], matrix_probes[], place_probes[],
    launcher_probes[], backtracer_probes[], panic_probes[], secret_probes[], unread_probes[], user_probes[],
    green_probes[], late_probes[], restart_probes[], left_probes[], interruption_probes[], emulator_probes[],
    asking_probes[], found_task_probes[], answer_probes[], own_end_probes[], healthy_probes[], unserved_probes[],
    pause_probes[], guarded_memory_probes[], sent_in_report_probes[], small_probes[], call_probes[];
