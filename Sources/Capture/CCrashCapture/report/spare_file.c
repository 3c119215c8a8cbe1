// An empty file for a later report. System calls only.

#include "report/spare_file.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/file.h>
#include <sys/stat.h>

#include "CGround/descriptors.h"
#include "CGround/folder_entries.h"
#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "call_filters.h"
#include "record/region.h"
#include "report/report_folder.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

#define NAME_SIZE 64
// A folder with more files than this is not looked through to its end: giving up a user takes no time.
#define LOOKED_AT_MAX 4096

// Ordinary memory: a fork inherits both, and the child's own file changes them there alone.
static cgr_held_descriptor spare = {-1, 0, 0};
static char spare_name[NAME_SIZE];
static _Atomic uint32_t maker;  // the process that has made its file, or tried to

// A child of vfork has its parent's memory, and the region in it is of the parent.
static bool is_this_process(uint32_t pid) { return (uint32_t)cgr_process_id() == pid; }

static void make_names(char *name, char *new_name) {
  const struct ck_region_header *header = ck_region_header();
  cgr_text text = {.bytes = name, .capacity = NAME_SIZE};
  cgr_text_unsigned(&text, header->pid);
  cgr_text_string(&text, "-");
  cgr_text_hex(&text, header->instance, 16);
  cgr_text_string(&text, ".spare");
  cgr_text_terminated(&text);
  text = (cgr_text){.bytes = new_name, .capacity = NAME_SIZE};
  cgr_text_string(&text, name);
  cgr_text_string(&text, ".new");
  cgr_text_terminated(&text);
}

// Under a name of its own until it is locked, so that no process takes it for a dead process's.
static int make(int directory, const char *name, const char *new_name) {
  long first = cgr_create_private(directory, new_name, O_RDWR);
  if (first < 0) return -1;
  int fd = cgr_out_of_the_way((int)first);
  cgr_syscall1(SYS_close, first);
  if (cgr_syscall2(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0
      && cgr_syscall5(SYS_renameat2, directory, new_name, directory, name, 0) == 0)
    return fd;
  cgr_syscall3(SYS_unlinkat, directory, new_name, 0);
  if (fd >= 0) cgr_syscall1(SYS_close, fd);
  return -1;
}

void ck_spare_make(void) {
  if (!ck_region_ready()) return;
  uint32_t before = atomic_load(&maker), own = ck_region_header()->pid;
  if (!is_this_process(own) || before == own || !atomic_compare_exchange_strong(&maker, &before, own)) return;
  int directory = ck_folder_descriptor();
  if (directory < 0) return;
  ck_spares_prune(directory);
  char name[NAME_SIZE] = "", new_name[NAME_SIZE];
  make_names(name, new_name);
  int fd = make(directory, name, new_name);
  if (fd < 0) return;
  // What a parent has given up stays the parent's.
  if (cgr_still_ours(&spare)) cgr_syscall1(SYS_close, spare.fd);
  cgr_copy(spare_name, name, sizeof spare_name);
  // A thread that crashes meanwhile and finds the file finds its name.
  atomic_thread_fence(memory_order_release);
  cgr_hold(&spare, fd);
}

bool ck_spare_adopt(int fd, const char *name) {
  int copy = cgr_out_of_the_way(fd);
  cgr_syscall1(SYS_close, fd);
  if (copy < 0 || cgr_length(name) >= NAME_SIZE) return false;
  cgr_text text = CGR_TEXT(spare_name);
  cgr_text_string(&text, name);
  cgr_text_terminated(&text);
  cgr_hold(&spare, copy);
  return true;
}

static bool is_empty_file(int fd, bool *is_linked) {
  struct stat status;
  if (cgr_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH) != 0) return false;
  *is_linked = status.st_nlink > 0;
  return S_ISREG(status.st_mode) && status.st_size == 0;
}

int ck_spare_take(char *name, size_t capacity) {
  bool is_linked;
  if (!cgr_still_ours(&spare)) return -1;
  atomic_thread_fence(memory_order_acquire);
  // Of processes that share the file by fork, each has a lock of this kind for itself, to its end.
  struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
  if (cgr_syscall3(SYS_fcntl, spare.fd, F_SETLK, &lock) != 0) return -1;
  if (!is_empty_file(spare.fd, &is_linked) || !is_linked) return -1;
  cgr_text text = {.bytes = name, .capacity = capacity};
  cgr_text_string(&text, spare_name);
  cgr_text_terminated(&text);
  return spare.fd;
}

void ck_spare_finish(int fd) { cgr_syscall2(SYS_flock, fd, LOCK_UN); }

void ck_spare_remove(void) {
  bool is_linked;
  if (!atomic_load(&maker) || cph_calls_may_be_filtered()) return;
  int directory = ck_folder_descriptor();
  if (!is_this_process(atomic_load(&maker)) || directory < 0) return;
  if (cgr_still_ours(&spare) && is_empty_file(spare.fd, &is_linked))
    cgr_syscall3(SYS_unlinkat, directory, spare_name, 0);
}

// --- What others left -------------------------------------------------------------------------------------------

static bool is_spare(const char *name) {
  static const char ending[] = ".spare";
  size_t length = cgr_length(name);
  if (length < sizeof ending) return false;
  for (size_t i = 0; i < sizeof ending; ++i)
    if (name[length - (sizeof ending - 1) + i] != ending[i]) return false;
  return true;
}

// The owner's lock lives as long as its process, and as those that inherited the file. It gives the lock up once its
// report is there, so the size counts only with the lock in hand.
static void remove_if_left(int directory, const char *name) {
  bool is_linked;
  long fd = cgr_syscall4(SYS_openat, directory, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0);
  if (fd < 0) return;
  if (cgr_syscall2(SYS_flock, fd, LOCK_EX | LOCK_NB) == 0 && is_empty_file((int)fd, &is_linked))
    cgr_syscall3(SYS_unlinkat, directory, name, 0);
  cgr_syscall1(SYS_close, fd);
}

void ck_spares_prune(int directory) {
  long folder = cgr_syscall4(SYS_openat, directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (folder < 0) return;
  cgr_folder_entries entries;
  cgr_folder_entries_begin(&entries, (int)folder);
  const char *name;
  for (int i = 0; i < LOOKED_AT_MAX && (name = cgr_folder_entries_next(&entries)) != NULL; ++i)
    if (is_spare(name)) remove_if_left(directory, name);
  cgr_syscall1(SYS_close, folder);
}
