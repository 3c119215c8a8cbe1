// Ring files that processes left behind. Ordinary libc.

#include "ring_files.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define NAME_BYTES 96

static bool is_ring_file(const char *name) {
  size_t size = strlen(name);
  return size > 5 && size < NAME_BYTES && strcmp(name + size - 5, ".ring") == 0;
}

// The owner's lock lives as long as its process: whoever can take it knows that the owner is gone.
static bool is_left_behind(int directory, const char *name) {
  int fd = openat(directory, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return false;
  bool gone = flock(fd, LOCK_EX | LOCK_NB) == 0;
  close(fd);
  return gone;
}

// The oldest file left behind, and how many ring files there are in all.
static int find_oldest(DIR *folder, int directory, char oldest[NAME_BYTES]) {
  int count = 0;
  struct timespec least = {0, 0};
  oldest[0] = 0;
  rewinddir(folder);
  for (struct dirent *entry; (entry = readdir(folder)) != NULL;) {
    struct stat status;
    if (!is_ring_file(entry->d_name)) continue;
    ++count;
    if (fstatat(directory, entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(status.st_mode)) continue;
    bool older = !oldest[0] || status.st_mtim.tv_sec < least.tv_sec
                 || (status.st_mtim.tv_sec == least.tv_sec && status.st_mtim.tv_nsec < least.tv_nsec);
    if (!older || !is_left_behind(directory, entry->d_name)) continue;
    least = status.st_mtim;
    snprintf(oldest, NAME_BYTES, "%s", entry->d_name);
  }
  return count;
}

void ck_ring_files_prune(int directory) {
  int fd = openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *folder = fd < 0 ? NULL : fdopendir(fd);
  if (!folder) {
    if (fd >= 0) close(fd);
    return;
  }
  char oldest[NAME_BYTES];
  // One more than is left over each time a process starts; a few rounds catch up after a change of the limit.
  for (int round = 0; round < 8; ++round)
    if (find_oldest(folder, directory, oldest) <= CK_RING_FILES_KEPT || !oldest[0]
        || unlinkat(directory, oldest, 0) != 0)
      break;
  closedir(folder);
}
