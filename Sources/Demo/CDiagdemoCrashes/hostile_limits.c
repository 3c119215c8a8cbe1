#include "CDiagdemoCrashes.h"
#include "hostile_crashes.h"
#include "hostile_threads.h"
#include "never_inlined.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

TRIGGER void crash_without_descriptors(void) {
  struct rlimit limit = {64, 64};
  if (!had(setrlimit(RLIMIT_NOFILE, &limit) == 0, "setrlimit")) return;
  while (open("/dev/null", O_RDONLY | O_CLOEXEC) >= 0)
    ;
  if (had(errno == EMFILE, "open")) crash_null_write();
}

TRIGGER void crash_without_address_space(void) {
  struct rlimit limit = {0, 0};
  if (!had(setrlimit(RLIMIT_AS, &limit) == 0, "setrlimit")) return;
  void *page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (had(page == MAP_FAILED && errno == ENOMEM, "mmap is still served")) crash_null_write();
}

TRIGGER void crash_with_disk_full(const char *folder) {
  char path[512];
  static char bytes[4096];
  snprintf(path, sizeof path, "%s/filler", folder);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (!had(file >= 0, path)) return;
  size_t size = sizeof bytes;
  while (size > 0 && lseek(file, 0, SEEK_CUR) < (64 << 20))
    if (write(file, bytes, size) < 0) size = errno == ENOSPC ? size / 2 : 0;
  if (had(errno == ENOSPC, "the disk is not full")) crash_null_write();
}

TRIGGER void crash_with_descriptors_reopened(void) {
  if (!had(mkdir("own-files", 0700) == 0 || errno == EEXIST, "mkdir")) return;
  for (int fd = 0; fd < 1024; fd++) close(fd);
  for (int fd = 0; fd < 300; fd++) {
    char path[64];
    snprintf(path, sizeof path, "own-files/%d", fd);
    int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    // Another thread may have taken the number for a moment, or be about to: EBUSY then, see dup2(2).
    int placed;
    do placed = dup2(file, fd);
    while (placed < 0 && errno == EBUSY);
    if (!had(file >= 0 && placed == fd, path)) return;
    if (file != fd) close(file);
  }
  crash_null_write();
}

TRIGGER void crash_with_folder_removed(const char *folder) {
  DIR *stream = opendir(folder);
  if (!had(stream != NULL, folder)) return;
  for (struct dirent *entry; (entry = readdir(stream));) unlinkat(dirfd(stream), entry->d_name, 0);
  closedir(stream);
  if (had(rmdir(folder) == 0, folder)) crash_null_write();
}

TRIGGER void crash_with_folder_closed(const char *folder) {
  if (had(chmod(folder, 0) == 0 && access(folder, W_OK) != 0, "the folder is still open")) crash_null_write();
}

int cut_rings(const char *folder) {
  DIR *stream = opendir(folder);
  int count = 0;
  if (!had(stream != NULL, folder)) return 0;
  for (struct dirent *entry; (entry = readdir(stream));) {
    size_t length = strlen(entry->d_name);
    if (length < 5 || strcmp(entry->d_name + length - 5, ".ring") != 0) continue;
    int file = openat(dirfd(stream), entry->d_name, O_WRONLY | O_CLOEXEC);
    if (file < 0) continue;
    count += ftruncate(file, 0) == 0;
    close(file);
  }
  closedir(stream);
  return count;
}
