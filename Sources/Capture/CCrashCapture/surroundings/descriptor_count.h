#pragma once
// How many descriptors the process has open, by kind.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

/// What a descriptor may be: its name in a report, and how /proc/self/fd names it. The last one is for all others.
#define CK_DESCRIPTOR_KINDS(KIND)           \
  KIND(socket, "socket:")                   \
  KIND(pipe, "pipe:")                       \
  KIND(eventpoll, "anon_inode:[eventpoll]") \
  KIND(eventfd, "anon_inode:[eventfd")      \
  KIND(timerfd, "anon_inode:[timerfd]")     \
  KIND(signalfd, "anon_inode:[signalfd]")   \
  KIND(inotify, "anon_inode:inotify")       \
  KIND(ioUring, "anon_inode:[io_uring]")    \
  KIND(pidfd, "anon_inode:[pidfd]")         \
  KIND(memoryFile, "/memfd:")               \
  KIND(device, "/dev/")                     \
  KIND(fileSystem, "/")                     \
  KIND(other, "")

typedef enum ck_descriptor_kind {
#define KIND(name, beginning) CK_DESCRIPTOR_##name,
  CK_DESCRIPTOR_KINDS(KIND)
#undef KIND
      CK_DESCRIPTOR_KIND_COUNT,
} ck_descriptor_kind;

/// Of more descriptors than this, the kinds of the first ones are looked at.
#define CK_DESCRIPTORS_LOOKED_AT 4096

typedef struct ck_descriptor_count {
  bool is_read;
  uint64_t open;
  uint64_t limit;  // the soft one of RLIMIT_NOFILE
  uint64_t kinds[CK_DESCRIPTOR_KIND_COUNT];
} ck_descriptor_count;

/// Async-signal-safe: system calls only. What it opens itself is not counted.
void ck_descriptors_count(ck_descriptor_count *count);

/// How a report names a kind. Async-signal-safe.
const char *ck_descriptor_kind_name(ck_descriptor_kind kind);

#pragma GCC visibility pop
