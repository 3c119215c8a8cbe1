// What `crashsym run` has started: it writes down what it was given, or ends as it is told to.

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void write_list(char **list) {
  for (; *list; ++list) fwrite(*list, 1, strlen(*list) + 1, stdout);
}

static void write_descriptors(void) {
  char text[1024];
  int size = 0;
  for (int fd = 0; fd < 1024 && size < 900; ++fd)
    if (fcntl(fd, F_GETFD) >= 0) size += sprintf(text + size, "%d ", fd);
  int out = open(getenv("LAUNCHER_OUTPUT"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (write(out, text, (size_t)size) != size) exit(97);
}

// As the kernel has them, those of glibc itself included. It needs no /proc.
static void write_signals(void) {
  unsigned long mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, 8);
  printf("blocked %016lx\n", mask);
  for (int number = 1; number <= 64; ++number) {
    unsigned long action[4] = {0};
    syscall(SYS_rt_sigaction, number, NULL, action, 8);
    printf("%d %s\n", number, action[0] == 0 ? "default" : action[0] == 1 ? "ignored" : "handled");
  }
}

static void say_ready(void) {
  if (write(1, "ready\n", 6) != 6) exit(97);
}

int main(int count, char **arguments) {
  const char *what = count > 1 ? arguments[1] : "";
  if (strcmp(what, "arguments") == 0) write_list(arguments + 2);
  if (strcmp(what, "environment") == 0) write_list(environ);
  if (strcmp(what, "descriptors") == 0) write_descriptors();
  if (strcmp(what, "signals") == 0) write_signals();
  if (strcmp(what, "exit") == 0) _exit(atoi(arguments[2]));
  if (strcmp(what, "die") == 0) syscall(SYS_kill, getpid(), atoi(arguments[2]));
  if (strcmp(what, "wait") == 0) {
    say_ready();
    pause();
  }
  if (strcmp(what, "stop") == 0) {
    printf("program %d\n", getpid());
    fflush(stdout);
    raise(SIGSTOP);
    printf("goes on\n");
    fflush(stdout);
    pause();
  }
  if (strcmp(what, "line") == 0) {
    char line[16];
    say_ready();
    while (read(0, line, sizeof line) < 0 && errno == EINTR) {
    }
    return line[0] == 'q' ? 5 : 6;
  }
  return 0;
}
