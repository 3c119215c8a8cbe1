// The region's file. Makes direct system calls, because a forked child makes its file at its first breadcrumb, maybe in
// a handler. Only ck_region_attach calls pthread_atfork.
#define _GNU_SOURCE 1
#include "record/region_file.h"
#include "record/attribute_table.h"
#include "record/evidence.h"
#include "CGround/clock.h"
#include "CGround/open_file.h"
#include "record/ring_format.h"
#include "CGround/own_ids.h"
#include "CGround/procfile.h"
#include "CGround/syscalls.h"
#include "CGround/utf8.h"
#include "call_filters.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { NAME_SIZE = 48 };

struct identity {
  uint64_t inode;
  uint32_t device_major, device_minor;
};

// Ordinary memory: a fork inherits it, and the child's own file changes it there alone.
static char directory_path[PATH_MAX];
static struct identity directory_identity, file_identity;
static char file_name[NAME_SIZE];

static bool identify(int directory, const char *name, struct identity *identity) {
  struct statx info;
  int flags = AT_SYMLINK_NOFOLLOW | (*name ? 0 : AT_EMPTY_PATH);
  if (cgr_syscall5(SYS_statx, directory, (long)name, flags, STATX_INO, (long)&info) < 0) return false;
  *identity = (struct identity){info.stx_ino, info.stx_dev_major, info.stx_dev_minor};
  return true;
}

static bool same_identity(const struct identity *a, const struct identity *b) {
  return a->inode == b->inode && a->device_major == b->device_major && a->device_minor == b->device_minor;
}

static size_t read_small_file(const char *path, char *buffer, size_t size) {
  long length = cgr_file_read(path, buffer, size);
  return length > 0 ? (size_t)length : 0;
}

// The facts that separate a process from another with the same pid. They are in the file's header.
static void fill_identity(struct ck_region_header *header) {
  char text[1024];
  header->boot_id_length = 0;
  if (read_small_file("/proc/sys/kernel/random/boot_id", text, sizeof text) >= CK_BOOT_ID_SIZE) {
    cgr_copy(header->boot_id, text, CK_BOOT_ID_SIZE);
    header->boot_id_length = CK_BOOT_ID_SIZE;
  }
  // "pid (name) state …": the name may hold anything, so fields count from the last parenthesis.
  size_t length = read_small_file("/proc/self/stat", text, sizeof text), open = 0, close = 0;
  while (open < length && text[open] != '(') open++;
  for (size_t i = open; i < length; i++)
    if (text[i] == ')') close = i;
  if (close == 0) return;
  size_t name_length = close - open - 1;
  if (name_length > CK_NAME_MAX) name_length = CK_NAME_MAX;
  cgr_copy(header->process_name, text + open + 1, name_length);
  header->process_name_length = (uint8_t)name_length;
  size_t i = close + 1;
  for (int field = 2; field < 22 && i < length; i++)
    if (text[i] == ' ') field++;
  header->start_ticks = 0;
  for (; i < length && text[i] >= '0' && text[i] <= '9'; i++)
    header->start_ticks = header->start_ticks * 10 + (uint64_t)(text[i] - '0');
}

// "PID-INSTANCE.ring" and the same with ".new".
static void make_names(char *name, char *new_name) {
  uint64_t pid = ck_region_header()->pid, instance = ck_region_header()->instance;
  char digits[20];
  size_t count = 0, length = 0;
  do digits[count++] = (char)('0' + pid % 10);
  while ((pid /= 10) > 0);
  while (count > 0) name[length++] = digits[--count];
  name[length++] = '-';
  for (int shift = 60; shift >= 0; shift -= 4) name[length++] = "0123456789abcdef"[instance >> shift & 15];
  cgr_copy(name + length, ".ring", sizeof ".ring");
  cgr_copy(new_name, name, length);
  cgr_copy(new_name + length, ".ring.new", sizeof ".ring.new");
}

// Real blocks for the whole file: a hole would turn a full disk into SIGBUS.
static long allocate(long fd, size_t length) {
  struct rlimit limit;
  // Growing a file beyond this limit would raise SIGXFSZ.
  if (cgr_syscall4(SYS_prlimit64, 0, RLIMIT_FSIZE, 0, (long)&limit) == 0 && limit.rlim_cur < length) return -EFBIG;
  long result;
  do result = cgr_syscall4(SYS_fallocate, fd, 0, 0, (long)length);
  while (result == -EINTR);
  if (result != -EOPNOTSUPP && result != -ENOSYS) return result;
  static const char zeros[4096];
  for (size_t offset = 0; offset < length; offset += sizeof zeros) {
    result = cgr_syscall4(SYS_pwrite64, fd, (long)zeros, sizeof zeros, (long)offset);
    if (result != sizeof zeros) return result < 0 ? result : -ENOSPC;
  }
  return 0;
}

// Fills new memory with what the region holds and puts it in the region's place. Breadcrumbs that other threads
// record in between are lost (and counted as omitted), and so is a metric's value until its next update; attributes
// and new metrics are not, their writers wait.
static long replace_region(long memory, size_t ring_size) {
  unsigned char *base = (unsigned char *)memory;
  struct ck_region_header *header = (struct ck_region_header *)(void *)base;
  ck_region_view own;
  if (!cph_region_lock_tables()) return -EBUSY;
  long result = -EBUSY;
  if (ck_region_view_self(&own)) {
    cgr_copy(header, ck_region_header(), sizeof *header);
    atomic_store(&header->ring_size, (uint32_t)ring_size);
    fill_identity(header);
    ck_evidence_fill(&header->evidence);
    ck_attributes_copy(&own, base + CPH_REGION_ATTRIBUTES_OFFSET);
    cph_metrics_copy(base + CPH_REGION_METRICS_OFFSET);
    ck_ring_relocate(&own, (uint64_t *)(void *)(base + CPH_REGION_RING_OFFSET), ring_size);
    long length = (long)ck_region_length(ring_size);
    result = cgr_syscall5(SYS_mremap, memory, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, (long)cph_region);
    if (!cgr_syscall_failed(result)) {
      atomic_store(&ck_ring_word_mask, ring_size / 8 - 1);
      atomic_store(&ck_region_header()->ring_epochs, atomic_load(&cph_region_private.ring_epochs));
      result = 0;
    }
  }
  cph_region_unlock_tables();
  return result;
}

static long map_and_replace(long fd, size_t ring_size) {
  size_t length = ck_region_length(ring_size);
  int flags = fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
  long memory = cgr_syscall6(SYS_mmap, 0, (long)length, PROT_READ | PROT_WRITE, flags, fd, 0);
  if (cgr_syscall_failed(memory)) return memory;
  long result = replace_region(memory, ring_size);
  if (result < 0) cgr_syscall2(SYS_munmap, memory, (long)length);
  return result;
}

// Under a name of its own until it is locked and whole, so that no process takes it for a dead process's.
static long make_file(int directory, size_t ring_size) {
  char new_name[NAME_SIZE];
  make_names(file_name, new_name);
  long fd = cgr_create_private(directory, new_name, O_RDWR);
  if (fd < 0) return fd;
  // The lock belongs to the open file, which the mapping keeps open after the descriptor is closed.
  long result = cgr_syscall2(SYS_flock, fd, LOCK_EX | LOCK_NB);
  if (result == 0) result = allocate(fd, ck_region_length(ring_size));
  if (result == 0 && !identify((int)fd, "", &file_identity)) result = -EIO;
  if (result == 0) result = map_and_replace(fd, ring_size);
  if (result == 0) {
    // If this fails, the file keeps its first name and no launch finds it: no worse than memory.
    result = cgr_syscall5(SYS_renameat2, directory, (long)new_name, directory, (long)file_name, 0);
  } else {
    cgr_syscall3(SYS_unlinkat, directory, (long)new_name, 0);
  }
  cgr_syscall1(SYS_close, fd);
  return result;
}

static void after_fork_in_child(void) {
  // If the kernel did not clear the page.
  if (atomic_load(&cph_region_private.state) != 0) {
    atomic_store(&cph_region_private.table_lock, 0);
    atomic_store(&cph_region_private.attachment, CK_NOT_ATTACHED);
    atomic_store(&cph_region_private.ring_position, 0);
    atomic_store(&cph_region_private.ring_epochs, 0);
    atomic_store(&cph_region_private.state, 0);
  }
  // At once, so that the parent's file, and with it its lock, is let go.
  ck_region_ready();
}

static bool is_ring_size(size_t size) {
  return size >= CK_RING_MIN_SIZE && size <= CK_RING_MAX_SIZE && (size & (size - 1)) == 0;
}

int ck_region_attach(int directory, const char *path, size_t ring_size) {
  static _Atomic bool watches_forks;
  if (!is_ring_size(ring_size)) return -EINVAL;
  if (!ck_region_ready()) return -EBUSY;
  uint32_t none = CK_NOT_ATTACHED;
  if (!atomic_compare_exchange_strong(&cph_region_private.attachment, &none, CK_ATTACHING)) return -EALREADY;
  if (!atomic_exchange(&watches_forks, true) && pthread_atfork(NULL, NULL, after_fork_in_child) != 0) {
    atomic_store(&cph_region_private.attachment, CK_NO_FILE);
    return -ENOMEM;
  }
  long result = make_file(directory, ring_size);
  if (result == 0 && path && identify(directory, "", &directory_identity)) {
    size_t length = 0;
    while (path[length]) length++;
    if (path[0] == '/' && length < sizeof directory_path) cgr_copy(directory_path, path, length + 1);
  }
  atomic_store(&cph_region_private.attachment, result == 0 ? CK_ATTACHED : CK_NO_FILE);
  return (int)result;
}

int ck_region_resize(size_t ring_size) {
  if (!is_ring_size(ring_size)) return -EINVAL;
  if (!ck_region_ready()) return -EBUSY;
  if (atomic_load(&cph_region_private.attachment) == CK_ATTACHED) return -EALREADY;
  return (int)map_and_replace(-1, ring_size);
}

const char *ck_region_file_name(void) {
  return atomic_load(&cph_region_private.attachment) == CK_ATTACHED ? file_name : NULL;
}

// The directory that was attached, if its path still leads there.
static long open_directory(void) {
  struct identity found;
  if (!directory_path[0]) return -ENOENT;
  int flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC;
  long fd = cgr_syscall4(SYS_openat, AT_FDCWD, (long)directory_path, flags, 0);
  if (fd < 0 || (identify((int)fd, "", &found) && same_identity(&found, &directory_identity))) return fd;
  cgr_syscall1(SYS_close, fd);
  return -ENOENT;
}

// Whether this process was forked from the one that was installed into: how it ends is its parent's business.
static bool is_forked;

void ck_region_attach_child(void) {
  if (!directory_path[0]) return;
  uint32_t none = CK_NOT_ATTACHED;
  if (!atomic_compare_exchange_strong(&cph_region_private.attachment, &none, CK_ATTACHING)) return;
  is_forked = true;
  long directory = open_directory(), result = directory;
  if (directory >= 0) {
    result = make_file((int)directory, ck_region_ring_size());
    cgr_syscall1(SYS_close, directory);
  }
  atomic_store(&cph_region_private.attachment, result == 0 ? CK_ATTACHED : CK_NO_FILE);
}

void ck_region_remove_file(void) {
  struct identity found;
  if (!ck_region_file_name()) return;
  // A process that gave up its user cannot remove its file, and its own filter of calls may kill it for the attempt.
  // The next launch removes the file, and reads here that all was well.
  uint32_t none = CK_ENDING_NONE;
  atomic_compare_exchange_strong(&ck_region_header()->ending, &none, CK_ENDING_CLEAN);
  if (cph_calls_may_be_filtered()) return;
  long directory = open_directory();
  if (directory < 0) return;
  if (identify((int)directory, file_name, &found) && same_identity(&found, &file_identity))
    cgr_syscall3(SYS_unlinkat, directory, (long)file_name, 0);
  cgr_syscall1(SYS_close, directory);
}

void ck_region_note_exit(int status, bool at_once) {
  static _Atomic bool exits;
  // A child that shares our memory (vfork), or a fork that has recorded nothing: the region is another process's.
  struct ck_region_header *header = ck_region_header();
  if (!ck_region_file_name()) return;
  if (!cph_calls_may_be_filtered() && header->pid != (uint32_t)cgr_process_id()) return;
  // What exit has begun, a function that it runs may end.
  if (!at_once) {
    atomic_store(&exits, true);
  } else if ((status & 0xff) == 0 || is_forked || atomic_load(&exits)) {
    ck_region_remove_file();
  } else {
    uint32_t none = CK_ENDING_NONE;
    header->evidence.exit_status = (uint32_t)status & 0xff;
    ck_region_mark_alive(cgr_monotonic_ns());
    atomic_compare_exchange_strong(&header->ending, &none, CK_ENDING_EXITED);
  }
}
