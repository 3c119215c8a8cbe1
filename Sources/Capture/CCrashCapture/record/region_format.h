#pragma once
// The region's first bytes, in memory and in its file.
#include "record_types.h"
#include "region_storage.h"

#pragma GCC visibility push(hidden)

#define CK_REGION_MAGIC 0x31304e4f49474552ull  // "REGION01" as little-endian bytes
// Version 2 added `evidence`, in what version 1 left at zero.
#define CK_REGION_VERSION 2u
#define CK_REGION_OLDEST_VERSION 1u
#define CK_RING_DEFAULT_SIZE 65536u
#define CK_RING_MIN_SIZE 4096u
#define CK_RING_MAX_SIZE CPH_REGION_RING_CAPACITY

/// The first bytes of the region and of its file.
struct ck_region_header {
  uint64_t magic;
  uint32_t version;
  uint32_t header_size;
  uint32_t metrics_offset;
  uint32_t attributes_offset;
  uint32_t ring_offset;
  _Atomic uint32_t ring_size;
  _Atomic uint64_t salt;
  uint64_t instance;
  uint32_t pid;
  uint32_t parent_pid;
  uint64_t unused;
  // 64: what a record reads or, once a second, writes
  _Atomic uint64_t last_alive;
  _Atomic int64_t clock_offset;
  _Atomic uint64_t ring_epochs;
  uint64_t started_at;
  uint64_t start_ticks;
  _Atomic uint32_t ending;
  uint8_t boot_id_length;
  uint8_t process_name_length;
  uint8_t application_name_length;
  uint8_t application_version_length;
  uint8_t application_build_length;
  uint8_t is_exit_test;
  uint8_t reserved[14];
  // 128
  char boot_id[CK_BOOT_ID_SIZE];
  char process_name[CK_NAME_MAX];
  char application_name[CK_NAME_MAX];
  char application_version[CK_VERSION_MAX];
  char application_build[CK_VERSION_MAX];
  uint8_t unused_after_names[28];
  // 384
  ck_evidence evidence;
  char padding[CPH_REGION_HEADER_SIZE - 384 - sizeof(ck_evidence)];
};
_Static_assert(sizeof(struct ck_region_header) == CPH_REGION_HEADER_SIZE, "the header's size is part of the format");
_Static_assert(offsetof(struct ck_region_header, last_alive) == 64, "the header's layout is part of the format");
_Static_assert(offsetof(struct ck_region_header, boot_id) == 128, "the header's layout is part of the format");
_Static_assert(offsetof(struct ck_region_header, evidence) == 384, "the header's layout is part of the format");
_Static_assert(offsetof(ck_evidence, events_path) == 66, "the evidence's layout is part of the format");

#pragma GCC visibility pop
