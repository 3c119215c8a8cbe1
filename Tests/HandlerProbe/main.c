#include "probe.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <sys/mman.h>

#include "CCrashCapture.h"
#include "processor.h"

bool handlers_come_first;
char **probe_arguments;

void install_crashkit(void) {
  // The preload library has installed itself.
  if (getenv("PROBE_PRELOAD")) return;
  ck_configuration configuration = {0};
  ck_installation installation;
  ck_install(&configuration, &installation);
  CHECK(installation.result == CK_INSTALLED || installation.result == CK_SWITCHED_OFF);
}

pthread_t install_beside(void *(*function)(void *), pthread_barrier_t *barrier) {
  pthread_t thread;
  install_crashkit();
  CHECK(pthread_barrier_init(barrier, NULL, 2) == 0);
  CHECK(pthread_create(&thread, NULL, function, NULL) == 0);
  pthread_barrier_wait(barrier);
  return thread;
}

void install_around(int signal, const struct sigaction *action) {
  if (!handlers_come_first) install_crashkit();
  CHECK(sigaction(signal, action, NULL) == 0);
  if (handlers_come_first) install_crashkit();
}

char *protected_page(void) {
  char *page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(page != MAP_FAILED);
  return page;
}

void open_page(void *page) { CHECK(mprotect(page, 4096, PROT_READ | PROT_WRITE) == 0); }
void close_page(void *page) { CHECK(mprotect(page, 4096, PROT_NONE) == 0); }

char *guarded(size_t size) {
  size_t guard = (size_t)sysconf(_SC_PAGESIZE), inside = (size + guard - 1) / guard * guard;
  char *space = mmap(NULL, guard + inside + guard, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  CHECK(space != MAP_FAILED && mprotect(space + guard, inside, PROT_READ | PROT_WRITE) == 0);
  return space + guard;
}

__attribute__((noinline)) void store(volatile char *address) { store_to(address); }

void say(const char *format, ...) {
  char line[256];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  CHECK(write(1, line, (size_t)size) == size);
}

void await_sleep_of(pid_t process, pid_t thread) {
  char path[64], text[64];
  snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", process, thread);
  for (;; sched_yield()) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    CHECK(file >= 0);
    ssize_t size = read(file, text, sizeof text - 1);
    close(file);
    // "running", or "-1" for a thread that waits for a page of a file.
    if (size > 0 && text[0] != 'r' && text[0] != '-') return;
  }
}

size_t number_from_environment(const char *name) {
  const char *text = getenv(name);
  CHECK(text);
  return strtoul(text, NULL, 10);
}

struct sigaction action_of(void (*handler)(int, siginfo_t *, void *), int flags) {
  struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO | flags};
  sigemptyset(&action.sa_mask);
  return action;
}

int main(int count, char **arguments) {
  const probe *const all[] = {
      handler_probes,     ending_probes,     death_probes,          hostile_probes,        filter_probes,
      filter_rule_probes, bystander_probes,  disturber_probes,      fork_probes,           quiet_probes,
      mask_probes,        stack_probes,      deep_stack_probes,     sent_probes,           stall_probes,
      task_probes,        matrix_probes,     place_probes,          launcher_probes,       backtracer_probes,
      panic_probes,       secret_probes,     unread_probes,         user_probes,           green_probes,
      late_probes,        restart_probes,    left_probes,           interruption_probes,   emulator_probes,
      asking_probes,      found_task_probes, answer_probes,         own_end_probes,        unserved_probes,
      pause_probes,       healthy_probes,    guarded_memory_probes, sent_in_report_probes, small_probes,
      call_probes};
  if (count < 2) return 64;
  probe_arguments = arguments;
  handlers_come_first = count > 2 && strcmp(arguments[2], "before") == 0;
  for (size_t i = 0; i < sizeof all / sizeof *all; ++i)
    for (const probe *at = all[i]; at->name; ++at)
      if (strcmp(at->name, arguments[1]) == 0) return at->run();
  dprintf(2, "no such probe: %s\n", arguments[1]);
  return 64;
}
