// Where reports go. Ordinary libc.

#include "directory.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "environment.h"

// Makes the missing folders of a path, 0700 each.
static int make_folders(char *path) {
  for (char *at = path + 1;; ++at) {
    if (*at != '/' && *at != 0) continue;
    char kept = *at;
    *at = 0;
    int failed = mkdir(path, 0700) != 0 && errno != EEXIST ? errno : 0;
    *at = kept;
    // A folder on the way may refuse to be made and still be there to pass through.
    if (failed && (kept == 0 || (failed != EACCES && failed != EROFS && failed != EPERM))) return failed;
    if (kept == 0) return 0;
  }
}

static bool is_refused(int fd) { return fd < 0 && errno != ENOSPC && errno != EDQUOT && errno != EMFILE; }

// Rights are not all: no file can be made in /proc, whoever asks. A full disk may have room again when it matters.
static bool can_write(int fd) {
  if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0) return false;
  int file = openat(fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (is_refused(file)) {
    // Not every file system has files without a name.
    char name[64];
    snprintf(name, sizeof name, ".crashkit-%d-%lx", (int)getpid(), (unsigned long)(uintptr_t)name);
    file = openat(fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (is_refused(file)) return false;
    if (file >= 0) unlinkat(fd, name, 0);
  }
  if (file >= 0) close(file);
  return true;
}

// Opens the folder itself, never what a link in its place points to. A private one must be ours alone.
static int open_folder(const char *path, bool private, int *error) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%s", path);
  *error = make_folders(copy);
  int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) {
    struct stat found;
    bool is_link = lstat(path, &found) == 0 && S_ISLNK(found.st_mode);
    if (is_link || *error == 0) *error = is_link ? ELOOP : errno;
    return -1;
  }
  struct stat status;
  bool ours = fstat(fd, &status) == 0 && status.st_uid == geteuid() && (status.st_mode & 077) == 0;
  if (private && !ours)
    *error = EPERM;
  else if (!can_write(fd))
    *error = errno;
  else
    return fd;
  close(fd);
  return -1;
}

static void absolute(const char *path, char *out, size_t capacity) {
  char current[PATH_MAX];
  if (path[0] == '/' || !getcwd(current, sizeof current))
    snprintf(out, capacity, "%s", path);
  else
    snprintf(out, capacity, "%s/%s", current, path);
  // A trailing slash would make a link be followed.
  for (size_t size = strlen(out); size > 1 && out[size - 1] == '/'; --size) out[size - 1] = 0;
}

static void resolve(const char *path, size_t size, char out[PATH_MAX]) {
  char copy[PATH_MAX];
  snprintf(copy, sizeof copy, "%.*s", (int)size, path);
  if (!realpath(copy, out)) snprintf(out, PATH_MAX, "%s", copy);
}

static void safe_name(const char *name, char *out, size_t capacity) {
  size_t size = 0;
  for (; *name && size + 1 < capacity; ++name) {
    bool plain = (*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || (*name >= '0' && *name <= '9')
                 || *name == '-' || *name == '_' || (*name == '.' && size > 0);
    out[size++] = plain ? *name : '_';
  }
  out[size] = 0;
  if (size == 0) snprintf(out, capacity, "unnamed");
}

static const char *reason(int error) { return error == ELOOP ? "a symbolic link, which is not followed" : strerror(error); }

static const char *home_folder(void) {
  const char *home = ck_environment("HOME");
  if (home && home[0] == '/') return home;
  struct passwd *entry = getpwuid(geteuid());
  return entry && entry->pw_dir && entry->pw_dir[0] == '/' ? entry->pw_dir : NULL;
}

int ck_directory_open(const char *wanted, const char *application, char *path, size_t path_capacity, char *warning,
                      size_t warning_capacity) {
  char name[64], candidate[PATH_MAX], refused[PATH_MAX] = "";
  safe_name(application, name, sizeof name);
  int error = 0, first_error = 0;
  const char *explicit_choice = ck_environment("CRASHKIT_DIRECTORY");
  if (!explicit_choice) explicit_choice = wanted;
  const char *state = ck_environment("STATE_DIRECTORY"), *xdg = ck_environment("XDG_STATE_HOME");
  const char *temporary = ck_environment("TMPDIR");
  for (int i = 0; i < 5; ++i) {
    const char *home;
    bool private = false;
    candidate[0] = 0;
    switch (i) {
      case 0:
        if (explicit_choice) absolute(explicit_choice, candidate, sizeof candidate);
        break;
      case 1:
        // systemd gives several with colons between: the first is the unit's own. With DynamicUser= it is systemd's
        // link into a private folder, so this one is resolved.
        if (state && state[0] == '/') resolve(state, strcspn(state, ":"), candidate);
        break;
      case 2:
        if (xdg && xdg[0] == '/') snprintf(candidate, sizeof candidate, "%s/crashkit/%s", xdg, name);
        break;
      case 3:
        home = home_folder();
        if (home) snprintf(candidate, sizeof candidate, "%s/.local/state/crashkit/%s", home, name);
        break;
      default:
        snprintf(candidate, sizeof candidate, "%s/crashkit-%u", temporary ? temporary : "/tmp", (unsigned)geteuid());
        private = true;
    }
    if (!candidate[0]) continue;
    if (strlen(candidate) >= path_capacity) {
      if (first_error == 0) snprintf(refused, sizeof refused, "%.64s…", candidate);
      if (first_error == 0) first_error = ENAMETOOLONG;
      continue;
    }
    int fd = open_folder(candidate, private, &error);
    if (fd >= 0 && private) {
      close(fd);
      snprintf(candidate + strlen(candidate), sizeof candidate - strlen(candidate), "/%s", name);
      fd = open_folder(candidate, private, &error);
    }
    if (fd >= 0) {
      snprintf(path, path_capacity, "%s", candidate);
      if (first_error && explicit_choice)
        snprintf(warning, warning_capacity, "reports go to %s: %s: %s", path, refused, reason(first_error));
      return fd;
    }
    if (first_error == 0) {
      first_error = error;
      snprintf(refused, sizeof refused, "%s", candidate);
    }
  }
  path[0] = 0;
  snprintf(warning, warning_capacity, "no directory can be written to: breadcrumbs stay in memory, a report goes to "
           "stderr (%s: %s)", refused, reason(first_error));
  return -1;
}
