// One thread is in a call that a signal would harm, and another waits for the input's end. Prints its number at first,
// and at the end what the call met. KIND: sigwait, signalfd, write, receive, exec.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define LARGE (1 << 20)

static int ends[2];  // a pipe or a pair of sockets
static int strays;

static void wait_for_input(void) {
  char byte;
  while (read(0, &byte, 1) > 0) {
  }
}

// Until SIGTERM comes, the only signal that this program sends itself.
static void take_signals(const sigset_t *all, int descriptor) {
  for (;;) {
    struct signalfd_siginfo info;
    int signal = 0;
    if (descriptor < 0)
      sigwait(all, &signal);
    else if (read(descriptor, &info, sizeof info) == sizeof info)
      signal = (int)info.ssi_signo;
    if (signal == SIGTERM) return;
    ++strays;
  }
}

static void *end_signals(void *unused) {
  wait_for_input();
  kill(getpid(), SIGTERM);
  return unused;
}

static void *drain(void *unused) {
  static char bytes[LARGE];
  wait_for_input();
  for (size_t got = 0; got < LARGE;) got += (size_t)read(ends[0], bytes, LARGE - got);
  return unused;
}

static void *send_rest(void *unused) {
  static const char bytes[1000];
  wait_for_input();
  send(ends[1], bytes, sizeof bytes, 0);
  return unused;
}

static long transfer(const char *kind) {
  static char bytes[LARGE];
  if (strcmp(kind, "write") == 0) return write(ends[1], bytes, LARGE);
  send(ends[1], bytes, 1000, 0);
  return recv(ends[0], bytes, 2000, MSG_WAITALL);
}

// Becomes itself again and again, for two seconds.
static int become_itself(char **arguments) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  char end[32];
  if (!arguments[2]) {
    printf("%d\n", (int)getpid());
    fflush(stdout);
  }
  snprintf(end, sizeof end, "%ld", arguments[2] ? atol(arguments[2]) : now.tv_sec + 3);
  if (now.tv_sec >= atol(end)) {
    puts("went on");
    return 0;
  }
  execl("/proc/self/exe", arguments[0], "exec", end, NULL);
  return 1;
}

int main(int count, char **arguments) {
  const char *kind = count > 1 ? arguments[1] : "";
  if (strcmp(kind, "exec") == 0) return become_itself(arguments);
  sigset_t all;
  sigfillset(&all);
  int takes_signals = strncmp(kind, "sig", 3) == 0;
  if (takes_signals) pthread_sigmask(SIG_SETMASK, &all, NULL);
  int descriptor = strcmp(kind, "signalfd") == 0 ? signalfd(-1, &all, 0) : -1;
  int made = strcmp(kind, "write") == 0 ? pipe(ends) : socketpair(AF_UNIX, SOCK_STREAM, 0, ends);
  if (made != 0) return 1;
  void *(*beside)(void *) = takes_signals ? end_signals : strcmp(kind, "write") == 0 ? drain : send_rest;
  pthread_t thread;
  pthread_create(&thread, NULL, beside, NULL);
  printf("%d\n", (int)getpid());
  fflush(stdout);
  long moved = 0;
  if (takes_signals)
    take_signals(&all, descriptor);
  else
    moved = transfer(kind);
  pthread_join(thread, NULL);
  printf("%d strays, %ld bytes\n", strays, moved);
  return 0;
}
