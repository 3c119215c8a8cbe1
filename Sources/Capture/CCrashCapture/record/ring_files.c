// Ring files of ended processes. Ordinary libc.

#include "record/ring_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "record/region_file.h"

#define NAME_BYTES 96
// More ring files than this are not counted: a program starts in no time whatever lies in its folder.
#define LOOKED_AT_MAX 4096

static bool is_ring_file(const char *name) {
  size_t size = strlen(name);
  return size > 5 && size < NAME_BYTES && strcmp(name + size - 5, ".ring") == 0;
}

// The owner's lock lives as long as its process: a process that can take it knows that the owner is gone.
static bool is_left_behind(int directory, const char *name) {
  int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  bool gone = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return gone;
}

struct names {
  int count;
  char oldest[NAME_BYTES];
};

// How many ring files there are, those of living processes included; with `seek`, how many were left behind, and which
// is the oldest. Locks are tried only then: a process that makes a report of such a file at this moment would take it
// for one of the living.
static struct names look(DIR *folder, int directory, bool seek) {
  struct names names = {0, ""};
  struct timespec least = {0, 0};
  int looked_at = 0;
  rewinddir(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat status;
    if (!is_ring_file(entry->d_name)) continue;
    if (!seek && ++names.count >= LOOKED_AT_MAX) break;
    if (!seek) continue;
    if (++looked_at > LOOKED_AT_MAX) break;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    bool older = !names.oldest[0] || status.st_mtim.tv_sec < least.tv_sec
                 || (status.st_mtim.tv_sec == least.tv_sec && status.st_mtim.tv_nsec < least.tv_nsec);
    if (!is_left_behind(directory, entry->d_name)) continue;
    ++names.count;
    if (!older) continue;
    least = status.st_mtim;
    snprintf(names.oldest, NAME_BYTES, "%s", entry->d_name);
  }
  return names;
}

// An exec ends what ran before, and keeps the process: same pid, same namespace, same start.
static bool is_own_before_exec(int directory, const char *name) {
  _Alignas(8) static char header[CPH_REGION_HEADER_SIZE];
  static ck_region_view view;
  const struct ck_region_header *own = ck_region_header();
  char prefix[16];
  int length = snprintf(prefix, sizeof prefix, "%u-", own->pid);
  const char *current = ck_region_file_name();
  if (strncmp(name, prefix, (size_t)length) != 0 || !current || strcmp(name, current) == 0) return false;
  int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  ssize_t size = pread(fd, header, sizeof header, 0);
  bool own_start = size > 0 && ck_region_view_bytes(&view, header, (size_t)size) && view.start_ticks == own->start_ticks
                   && view.evidence.pid_namespace == own->evidence.pid_namespace;
  bool same = own_start && flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return same;
}

static void remove_own_before_exec(DIR *folder, int directory) {
  rewinddir(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
    if (is_ring_file(entry->d_name) && is_own_before_exec(directory, entry->d_name))
      unlinkat(directory, entry->d_name, 0);
}

void ck_ring_files_prune(int directory) {
  int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder) {
    if (fd >= 0) close(fd);
    return;
  }
  remove_own_before_exec(folder, directory);
  // One more than is left over each time a process starts; a few rounds catch up after a change of the limit.
  for (int round = 0; round < 8 && look(folder, directory, false).count > CK_RING_FILES_KEPT; ++round) {
    struct names names = look(folder, directory, true);
    if (names.count <= CK_RING_FILES_KEPT || unlinkat(directory, names.oldest, 0) != 0) break;
  }
  closedir(folder);
}
