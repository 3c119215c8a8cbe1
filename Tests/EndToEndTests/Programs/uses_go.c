// Uses a library in Go, on two threads. It opens the library, unless it is linked with the archive. With "stack", each
// thread has an alternate stack; with "chained", the program's handler comes first as well, and calls the library's.

#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#ifdef HAS_ARCHIVE
void recoverFromFault(void);
void collect(void);
static void find(const char *library) { (void)library; }
#else
static void (*recoverFromFault)(void);
static void (*collect)(void);
static void find(const char *library) {
  void *opened = dlopen(library, RTLD_NOW | RTLD_LOCAL);
  if (!opened) return;
  *(void **)&recoverFromFault = dlsym(opened, "recoverFromFault");
  *(void **)&collect = dlsym(opened, "collect");
}
#endif

static int has_stacks, calls;
static struct sigaction behind;

static void pass_on(int signal, siginfo_t *info, void *context) {
  ++calls;
  behind.sa_sigaction(signal, info, context);
}

static void use(char *stack, size_t size) {
  const stack_t alternate = {.ss_sp = stack, .ss_size = size};
  if (has_stacks) sigaltstack(&alternate, NULL);
  for (int i = 0; i < 20; ++i) recoverFromFault();
  collect();
}

static void *use_there(void *argument) {
  static char stack[64 * 1024];
  use(stack, sizeof stack);
  return argument;
}

int main(int count, char **arguments) {
  static char stack[64 * 1024];
  if (count != 3) return 64;
  find(arguments[1]);
  has_stacks = strcmp(arguments[2], "plain") != 0;
  struct sigaction action = {.sa_sigaction = pass_on, .sa_flags = SA_SIGINFO | SA_ONSTACK};
  sigfillset(&action.sa_mask);
  if (strcmp(arguments[2], "chained") == 0) sigaction(SIGSEGV, &action, &behind);
  use(stack, sizeof stack);
  pthread_t thread;
  if (pthread_create(&thread, NULL, use_there, NULL) != 0 || pthread_join(thread, NULL) != 0) return 70;
  printf("%d calls\n", calls);
  return 0;
}
