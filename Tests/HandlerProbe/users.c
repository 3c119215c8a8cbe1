// Processes of one family that give up their user, and crash.

#include <sys/fsuid.h>
#include <sys/wait.h>

#include "probe.h"

#define NOBODY 65534
#define WORKERS 2

static void give_up_user(void) { CHECK(setgid(NOBODY) == 0 && setuid(NOBODY) == 0); }

static void crash(void) { store((char *)8); }

static void wait_for_children(int count) {
  for (int i = 0; i < count; ++i) {
    int status;
    CHECK(wait(&status) > 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
  }
}

// All crash once each has given up its user: the pipe ends then.
static void crash_together(int ready, int start) {
  char byte = 0;
  CHECK(write(ready, &byte, 1) == 1);
  CHECK(read(start, &byte, 1) == 0);
  crash();
}

static int family(bool gives_up_first) {
  install_crashkit();
  int ready[2], start[2];
  CHECK(pipe(ready) == 0 && pipe(start) == 0);
  if (gives_up_first) give_up_user();
  for (int i = 0; i < WORKERS; ++i) {
    pid_t child = fork();
    CHECK(child >= 0);
    if (child > 0) continue;
    close(start[1]);
    if (!gives_up_first) give_up_user();
    crash_together(ready[1], start[0]);
  }
  char byte;
  for (int i = 0; i < WORKERS; ++i) CHECK(read(ready[0], &byte, 1) == 1);
  close(start[1]);
  wait_for_children(WORKERS);
  return 0;
}

// A master that stays what it is, and workers that do not.
static int workers(void) { return family(false); }
// Children that share what their parent has kept open.
static int heirs(void) { return family(true); }

// The one that Swift does not know.
static int all_users(void) {
  install_crashkit();
  CHECK(setresuid(NOBODY, NOBODY, NOBODY) == 0);
  crash();
  return 7;
}

// The effective user stays root's: only files are made as another.
static int files_user(void) {
  install_crashkit();
  setfsuid(NOBODY);
  CHECK(setfsuid((uid_t)-1) == NOBODY);
  crash();
  return 7;
}

static int files_group(void) {
  install_crashkit();
  setfsgid(NOBODY);
  CHECK(setfsgid((gid_t)-1) == NOBODY);
  setfsuid(NOBODY);
  crash();
  return 7;
}

static int in_new_root(void) {
  install_crashkit();
  const char *files = getenv("PROBE_FILES");
  CHECK(files && chroot(files) == 0 && chdir("/") == 0);
  give_up_user();
  crash();
  return 7;
}

// Another process removes the file meanwhile: a report in it would be lost.
static int spare_removed(void) {
  install_crashkit();
  int given_up[2];
  CHECK(pipe(given_up) == 0);
  pid_t child = fork();
  CHECK(child >= 0);
  char byte = 0;
  if (child == 0) {
    CHECK(read(given_up[0], &byte, 1) == 1);
    execl("/bin/sh", "sh", "-c", "rm \"$CRASHKIT_DIRECTORY\"/*.spare", NULL);
    _exit(97);
  }
  give_up_user();
  CHECK(write(given_up[1], &byte, 1) == 1);
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  crash();
  return 7;
}

const probe user_probes[] = {
    {"user-workers", workers},
    {"user-heirs", heirs},
    {"user-setresuid", all_users},
    {"user-setfsuid", files_user},
    {"user-setfsgid", files_group},
    {"user-in-new-root", in_new_root},
    {"user-spare-removed", spare_removed},
    {NULL, NULL},
};
