// Programs that are stopped for a moment and read with ptrace. Each prints a number to look at, goes on until its input
// ends, and then prints what it noticed.
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static atomic_int broken_off, failed, is_ending;

static void say(int number) {
  printf("%d\n", number);
  fflush(stdout);
}

static void wait_for_end(void) {
  char byte;
  while (read(0, &byte, 1) != 0) {
  }
}

static void wait_until_it_sleeps(int thread) {
  char path[64], text[512];
  snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
  for (const char *end = NULL; end == NULL || end[2] != 'S';) {
    FILE *file = fopen(path, "r");
    text[fread(text, 1, sizeof text - 1, file)] = 0;
    fclose(file);
    end = strrchr(text, ')');
  }
}

// Calls that wait. Linux ends some of them with EINTR at each stop.

static int never[2], sockets[2];
static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;
static atomic_int newest;

static void in_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  int set = epoll_create1(0);
  epoll_ctl(set, EPOLL_CTL_ADD, never[0], &event);
  epoll_wait(set, &event, 1, -1);
}

static void in_timed_epoll(void) {
  struct epoll_event event = {.events = EPOLLIN};
  epoll_pwait(epoll_create1(0), &event, 1, 1000000, NULL);
}

static void in_read(void) {
  char byte;
  read(never[0], &byte, 1);
}

static void in_nanosleep(void) {
  struct timespec time = {1000, 0};
  nanosleep(&time, NULL);
}

static void in_poll(void) {
  struct pollfd polled = {never[0], POLLIN, 0};
  poll(&polled, 1, 1000000);
}

static void in_timed_receive(void) {
  char byte;
  struct timeval limit = {1000, 0};
  setsockopt(sockets[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  recv(sockets[0], &byte, 1, 0);
}

static void in_sigtimedwait(void) {
  sigset_t set;
  struct timespec limit = {1000, 0};
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  sigtimedwait(&set, NULL, &limit);
}

static void in_mutex(void) {
  pthread_mutex_lock(&held);
  __asm__ volatile("");
}

static void in_semaphore(void) {
  static sem_t semaphore;
  sem_init(&semaphore, 0, 0);
  sem_wait(&semaphore);
  __asm__ volatile("");
}

static void (*const calls[])(void) = {
    in_epoll, in_timed_epoll, in_read, in_nanosleep, in_poll, in_timed_receive, in_sigtimedwait, in_mutex, in_semaphore,
};

static void *wait_in_call(void *call) {
  atomic_store(&newest, (int)syscall(SYS_gettid));
  (*(void (*const *)(void))call)();
  atomic_fetch_add(&broken_off, 1);
  return NULL;
}

static int all_calls(void) {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &set, NULL);
  pthread_mutex_lock(&held);
  if (pipe(never) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) return 1;
  for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
    pthread_t thread;
    atomic_store(&newest, 0);
    pthread_create(&thread, NULL, wait_in_call, (void *)&calls[i]);
    while (atomic_load(&newest) == 0) {
    }
    wait_until_it_sleeps(atomic_load(&newest));
  }
  say(getpid());
  wait_for_end();
  printf("broken off: %d\n", broken_off);
  return 0;
}

// Many threads, and memory that is in use.

__attribute__((noinline)) static void *wait_deep(void *depth) {
  if (depth == NULL) return pthread_mutex_lock(&held), NULL;
  void *result = wait_deep((char *)depth - 1);
  __asm__ volatile("" ::: "memory");
  return result;
}

static int many(int threads, size_t mebibytes) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, 1 << 16);
  pthread_mutex_lock(&held);
  for (int i = 0; i < threads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, wait_deep, (void *)10) != 0) return 1;
  }
  char *memory = malloc((mebibytes << 20) + 1);
  memset(memory, 1, mebibytes << 20);
  say(getpid());
  wait_for_end();
  puts("goes on");
  return 0;
}

// Signals. Each that is sent comes once, and ends the wait of the thread that it is for. Linux leaves a gap, for
// pause(2) too: it has decided to go on with the call, and the thread does not wait yet. There a signal only runs its
// handler.

static atomic_int handled, directed, acknowledged;

static void on_queued(int number) {
  (void)number;
  atomic_fetch_add(&handled, 1);
}

static void on_directed(int number) {
  (void)number;
  atomic_fetch_add(&directed, 1);
}

// Stays until the process ends: a signal that is queued last has a thread to take it.
static void *take_queued(void *queued) {
  pthread_sigmask(SIG_UNBLOCK, queued, NULL);
  for (struct timespec time = {1000, 0};;) nanosleep(&time, NULL);
  return queued;
}

// Its wait has no end but a signal.
static void *take_directed(void *unused) {
  struct epoll_event event;
  int set = epoll_create1(0);
  atomic_store(&newest, (int)syscall(SYS_gettid));
  for (int before = 0;;) {
    if (epoll_wait(set, &event, 1, -1) != -1 || errno != EINTR) atomic_fetch_add(&failed, 1);
    int after = atomic_load(&directed);
    if (after <= before) atomic_fetch_add(&failed, 1);
    atomic_store(&acknowledged, before = after);
  }
  return unused;
}

static void *end_with_input(void *unused) {
  wait_for_end();
  atomic_store(&is_ending, 1);
  return unused;
}

static int all_signals(void) {
  pthread_t ender, waiter, takers[4];
  sigset_t queued;
  // Without SA_RESTART.
  sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_directed}, NULL);
  sigaction(SIGRTMIN, &(struct sigaction){.sa_handler = on_queued}, NULL);
  sigemptyset(&queued);
  sigaddset(&queued, SIGRTMIN);
  pthread_sigmask(SIG_BLOCK, &queued, NULL);
  pthread_create(&waiter, NULL, take_directed, NULL);
  for (int i = 0; i < 4; ++i) pthread_create(&takers[i], NULL, take_queued, &queued);
  pthread_create(&ender, NULL, end_with_input, NULL);
  while (atomic_load(&newest) == 0) {
  }
  say(getpid());
  int sent = 0, rounds = 0;
  while (!atomic_load(&is_ending)) {
    for (int i = 0; i < 8; ++i) sent += sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = sent}) == 0;
    wait_until_it_sleeps(atomic_load(&newest));
    pthread_kill(waiter, SIGUSR2);
    ++rounds;
    for (time_t end = time(NULL) + 30; atomic_load(&directed) != rounds || atomic_load(&handled) < sent;) {
      if (time(NULL) <= end) {
        sched_yield();
        continue;
      }
      printf("lost: of %d directed %d, of %d queued %d\n", rounds, rounds - directed, sent, sent - handled);
      return 1;
    }
  }
  printf("lost: %d, too many: %d, failed: %d, some: %d\n", rounds - directed, handled - sent, failed, sent > 0);
  return 0;
}

// A signal to the process, which one thread may take while it waits, beside `threads` others.
static int sent_meanwhile(int threads) {
  pthread_t waiter;
  sigset_t taken;
  sigaction(SIGUSR2, &(struct sigaction){.sa_handler = on_directed}, NULL);
  pthread_create(&waiter, NULL, take_directed, NULL);
  sigemptyset(&taken);
  sigaddset(&taken, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &taken, NULL);
  while (atomic_load(&newest) == 0) {
  }
  wait_until_it_sleeps(atomic_load(&newest));
  int result = many(threads, 0);
  printf("handled: %d, ended the wait: %d, failed: %d\n", directed, acknowledged, failed);
  return result;
}

// Threads come and go, processes too, and the program begins anew.

static void *do_nothing(void *unused) { return unused; }

static int never_still(char **arguments, int round) {
  if (round == 0) say(getpid());
  for (int i = 0; i < 20; ++i) {
    pthread_t threads[8];
    for (int k = 0; k < 8; ++k)
      if (pthread_create(&threads[k], NULL, do_nothing, NULL) != 0) return 1;
    pid_t child = fork();
    if (child == 0) _exit(7);
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFEXITED(status) || WEXITSTATUS(status) != 7) return 2;
    for (int k = 0; k < 8; ++k) pthread_join(threads[k], NULL);
  }
  struct pollfd input = {0, POLLIN, 0};
  if (poll(&input, 1, 0) > 0) {
    puts("went on");
    return 0;
  }
  char number[16];
  snprintf(number, sizeof number, "%d", round + 1);
  char *next[] = {arguments[0], arguments[1], number, NULL};
  execv("/proc/self/exe", next);
  return 3;
}

// Threads that cannot be stopped, or are gone.

static void *wait_beside(void *unused) {
  wait_for_end();
  return unused;
}

// The child ends with the input.
static int in_vfork(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, wait_beside, NULL);
  say(getpid());
  int status = 0;
  pid_t child = vfork();
  if (child == 0) {
    char byte;
    while (read(0, &byte, 1) != 0) {
    }
    _exit(3);
  }
  if (waitpid(child, &status, 0) != child || WEXITSTATUS(status) != 3) return 1;
  pthread_join(thread, NULL);
  puts("goes on");
  return 0;
}

static void *outlive_main(void *unused) {
  wait_for_end();
  puts("goes on");
  exit(0);
  return unused;
}

static int without_main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, outlive_main, NULL);
  say(getpid());
  pthread_exit(NULL);
}

// A file of no use to a report: a terabyte in so many private mappings.

static int map_large_file(int count) {
  size_t size = ((size_t)1 << 40) / (size_t)count;
  int file = memfd_create("large", 0);
  if (ftruncate(file, (off_t)size) != 0) return 1;
  while (count-- > 0)
    if (mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0) == MAP_FAILED) return 1;
  say(getpid());
  wait_for_end();
  puts("goes on");
  return 0;
}

// A child that cannot be looked at: another process traces it, or it has ended.

static int unfit_child(int is_traced) {
  int ends[2];
  if (pipe(ends) != 0) return 1;
  pid_t child = fork();
  if (child == 0) {
    char byte;
    close(ends[1]);
    if (is_traced) read(ends[0], &byte, 1);
    _exit(0);
  }
  siginfo_t ended;
  if (is_traced ? ptrace(PTRACE_SEIZE, child, NULL, 0) != 0 : waitid(P_PID, child, &ended, WEXITED | WNOWAIT) != 0)
    return 1;
  say(child);
  wait_for_end();
  return 0;
}

int main(int count, char **arguments) {
  const char *kind = count > 1 ? arguments[1] : "";
  int number = count > 2 ? atoi(arguments[2]) : 0;
  if (strcmp(kind, "calls") == 0) return all_calls();
  if (strcmp(kind, "signals") == 0) return all_signals();
  if (strcmp(kind, "sent-meanwhile") == 0) return sent_meanwhile(number);
  if (strcmp(kind, "never-still") == 0) return never_still(arguments, number);
  if (strcmp(kind, "threads") == 0) return many(number, count > 3 ? (size_t)atoi(arguments[3]) : 0);
  if (strcmp(kind, "vfork") == 0) return in_vfork();
  if (strcmp(kind, "main-ended") == 0) return without_main();
  if (strcmp(kind, "large-file") == 0) return map_large_file(number);
  if (strcmp(kind, "traced") == 0) return unfit_child(1);
  if (strcmp(kind, "ended") == 0) return unfit_child(0);
  return 64;
}
