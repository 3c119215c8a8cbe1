// The folder of reports. Choosing it uses ordinary libc; opening it uses wrappers of system calls and functions of
// strings.

#include "CReportParts/directory.h"

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

#include "CGround/environment.h"
#include "CGround/text.h"
#include "CGround/utf8.h"

// Makes a folder, 0700 whatever the program's umask says. Returns 0 or the error.
static int make_folder(const char *path) {
  if (mkdir(path, S_IRWXU) != 0) return errno;
  struct stat status;
  bool is_cut = lstat(path, &status) == 0 && S_ISDIR(status.st_mode) && (status.st_mode & S_IRWXU) != S_IRWXU;
  if (is_cut) fchmodat(AT_FDCWD, path, S_IRWXU, AT_SYMLINK_NOFOLLOW);
  return 0;
}

// Makes the missing folders of a path, 0700 each.
static int make_folders(char *path) {
  for (char *at = path + 1;; ++at) {
    if (*at != '/' && *at != 0) continue;
    char kept = *at;
    *at = 0;
    int failed = make_folder(path);
    if (failed == EEXIST) failed = 0;
    *at = kept;
    // A folder on the way may refuse to be made and still be there to pass through.
    if (failed && (kept == 0 || (failed != EACCES && failed != EROFS && failed != EPERM))) return failed;
    if (kept == 0) return 0;
  }
}

static bool is_refused(int fd) { return fd < 0 && errno != ENOSPC && errno != EDQUOT && errno != EMFILE; }

// Rights are not enough: even root can make no file in /proc. A full disk may have room again when it matters.
static bool can_write(int fd) {
  if (faccessat(fd, ".", W_OK | X_OK, AT_EACCESS) != 0) return false;
  int file = openat(fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (is_refused(file)) {
    // Not every file system has files without a name.
    char name[64];
    cgr_text text = CGR_TEXT(name);
    cgr_text_string(&text, ".crashkit-");
    cgr_text_unsigned(&text, (uint64_t)getpid());
    cgr_text_string(&text, "-");
    cgr_text_hex(&text, (uintptr_t)name, 1);
    cgr_text_terminated(&text);
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
  cgr_text text = CGR_TEXT(copy);
  cgr_text_string(&text, path);
  cgr_text_terminated(&text);
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

static const char *reason(int error) {
  return error == ELOOP ? "a symbolic link, which is not followed" : strerrordesc_np(error);
}

static const char *home_folder(bool asks) {
  const char *home = cgr_environment("HOME");
  if (home && home[0] == '/') return home;
  if (!asks) return NULL;
  struct passwd *entry = getpwuid(geteuid());
  return entry && entry->pw_dir && entry->pw_dir[0] == '/' ? entry->pw_dir : NULL;
}

static void choose(crp_directory_choices *choices, bool is_private, bool is_explicit) {
  crp_directory_choice *choice = &choices->entries[choices->count];
  if (!choice->path[0]) return;
  choice->is_private = is_private;
  choice->is_explicit = is_explicit;
  choice[1].path[0] = 0;
  ++choices->count;
}

void crp_directory_choose(crp_directory_choices *choices, const char *wanted, const char *application,
                          bool asks_for_home) {
  char *name = choices->name;
  choices->count = 0;
  safe_name(application, name, sizeof choices->name);
  const char *explicit_choice = cgr_environment("CRASHKIT_DIRECTORY");
  if (!explicit_choice) explicit_choice = wanted;
  const char *state = cgr_environment("STATE_DIRECTORY"), *xdg = cgr_environment("XDG_STATE_HOME");
  const char *temporary = cgr_environment("TMPDIR"), *home = home_folder(asks_for_home);
#define NEXT choices->entries[choices->count].path
  NEXT[0] = 0;
  if (explicit_choice) absolute(explicit_choice, NEXT, PATH_MAX);
  choose(choices, false, true);
  // systemd gives several with colons between: the first is the unit's own. With DynamicUser= it is systemd's link into
  // a private folder, so this one is resolved.
  if (state && state[0] == '/') resolve(state, strcspn(state, ":"), NEXT);
  choose(choices, false, false);
  if (xdg && xdg[0] == '/') snprintf(NEXT, PATH_MAX, "%s/crashkit/%s", xdg, name);
  choose(choices, false, false);
  if (home) snprintf(NEXT, PATH_MAX, "%s/.local/state/crashkit/%s", home, name);
  choose(choices, false, false);
  snprintf(NEXT, PATH_MAX, "%s/crashkit-%u", temporary ? temporary : "/tmp", (unsigned)geteuid());
  choose(choices, true, false);
#undef NEXT
}

// A private folder holds one for each application.
static int open_choice(const crp_directory_choice *choice, const char *name, char *path, size_t capacity, int *error) {
  cgr_text text = {.bytes = path, .capacity = capacity};
  cgr_text_string(&text, choice->path);
  int fd = open_folder(cgr_text_terminated(&text), choice->is_private, error);
  if (fd < 0 || !choice->is_private) return fd;
  close(fd);
  cgr_text_string(&text, "/");
  cgr_text_string(&text, name);
  return open_folder(cgr_text_terminated(&text), true, error);
}

int crp_directory_open_chosen(const crp_directory_choices *choices, char *path, size_t path_capacity, char *warning,
                              size_t warning_capacity) {
  const char *refused = "";
  int error = 0, first_error = 0;
  cgr_text text = {.bytes = warning, .capacity = warning_capacity};
  for (size_t i = 0; i < choices->count; ++i) {
    const crp_directory_choice *choice = &choices->entries[i];
    size_t room = choice->is_private ? sizeof choices->name : 0;
    bool is_short = strlen(choice->path) + room < path_capacity;
    int fd = is_short ? open_choice(choice, choices->name, path, path_capacity, &error) : -1;
    if (fd >= 0) {
      if (!first_error || !choices->entries[0].is_explicit) return fd;
      cgr_text_string(&text, "reports go to ");
      cgr_text_string(&text, path);
      cgr_text_string(&text, ": ");
      cgr_text_bytes(&text, refused, cgr_utf8_cut(refused, strlen(refused), 400));
      cgr_text_string(&text, ": ");
      cgr_text_string(&text, reason(first_error));
      cgr_text_terminated(&text);
      return fd;
    }
    if (first_error) continue;
    first_error = is_short ? error : ENAMETOOLONG;
    refused = choice->path;
  }
  path[0] = 0;
  cgr_text_string(&text, "no directory can be written to: breadcrumbs stay in memory, a report goes to stderr (");
  cgr_text_bytes(&text, refused, cgr_utf8_cut(refused, strlen(refused), 400));
  cgr_text_string(&text, ": ");
  cgr_text_string(&text, reason(first_error));
  cgr_text_string(&text, ")");
  cgr_text_terminated(&text);
  return -1;
}

int crp_directory_open(const char *wanted, const char *application, char *path, size_t path_capacity, char *warning,
                       size_t warning_capacity) {
  crp_directory_choices choices;
  crp_directory_choose(&choices, wanted, application, true);
  return crp_directory_open_chosen(&choices, path, path_capacity, warning, warning_capacity);
}
