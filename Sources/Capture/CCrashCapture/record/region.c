// The region in memory: its header, and how it is replaced in a forked child and after SIGBUS. Calls clock_gettime
// by the vDSO, and makes direct system calls. Async-signal-safe, except ck_region_set_application and
// ck_region_note_exit_test.
#define _GNU_SOURCE 1
#include "record/region.h"
#include "record/attribute_table.h"
#include "CGround/checksum.h"
#include "CGround/clock.h"
#include "CGround/own_ids.h"
#include "CGround/syscalls.h"
#include "CGround/utf8.h"
#include <linux/random.h>
#include <sys/mman.h>
#include <sys/uio.h>

_Atomic uint64_t ck_ring_word_mask = CK_RING_DEFAULT_SIZE / 8 - 1;

size_t ck_region_ring_size(void) { return (size_t)(atomic_load(&ck_ring_word_mask) + 1) * 8; }

size_t ck_region_length(size_t ring_size) {
  return (CPH_REGION_RING_OFFSET + ring_size + CPH_PAGE_ALIGNMENT - 1) & ~(size_t)(CPH_PAGE_ALIGNMENT - 1);
}

static uint64_t random_word(void) {
  uint64_t word = 0;
  cgr_syscall3(SYS_getrandom, (long)&word, sizeof word, GRND_NONBLOCK);
  // Early in a machine's life there may be no random numbers; different from the last process's is enough then.
  struct cgr_checksum mixed = cgr_checksum_start(word);
  cgr_checksum_add(&mixed, cgr_monotonic_ns());
  cgr_checksum_add(&mixed, (uint64_t)cgr_thread_id() << 32 | (uintptr_t)&word);
  return mixed.sum | 1;
}

void ck_region_mark_alive(uint64_t now) {
  struct ck_region_header *header = ck_region_header();
  atomic_store_explicit(&header->last_alive, now, memory_order_relaxed);
  int64_t offset = (int64_t)(cgr_realtime_ns() - cgr_monotonic_ns());
  atomic_store_explicit(&header->clock_offset, offset, memory_order_relaxed);
}

static void fill_header(struct ck_region_header *header, size_t ring_size) {
  header->version = CK_REGION_VERSION;
  header->header_size = sizeof *header;
  header->metrics_offset = CPH_REGION_METRICS_OFFSET;
  header->attributes_offset = CPH_REGION_ATTRIBUTES_OFFSET;
  header->ring_offset = CPH_REGION_RING_OFFSET;
  atomic_store(&header->ring_size, (uint32_t)ring_size);
  header->instance = random_word();
  header->pid = (uint32_t)cgr_process_id();
  header->parent_pid = (uint32_t)cgr_syscall0(SYS_getppid);
  uint64_t now = cgr_monotonic_ns();
  header->started_at = now;
  atomic_store(&header->last_alive, now);
  atomic_store(&header->clock_offset, (int64_t)(cgr_realtime_ns() - now));
  __atomic_store_n(&header->magic, CK_REGION_MAGIC, __ATOMIC_RELEASE);
}

void ck_region_start_header(struct ck_region_header *header, size_t ring_size) {
  atomic_store(&header->salt, random_word());
  fill_header(header, ring_size);
}

static long map_memory(size_t length) {
  return cgr_syscall6(SYS_mmap, 0, (long)length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static bool move_over_region(long memory, size_t length) {
  long moved =
      cgr_syscall5(SYS_mremap, memory, (long)length, (long)length, MREMAP_MAYMOVE | MREMAP_FIXED, (long)cph_region);
  if (!cgr_syscall_failed(moved)) return true;
  cgr_syscall2(SYS_munmap, memory, (long)length);
  return false;
}

// In a forked child: what lies at the region is the parent's, be it its file or a copy of its memory. The child keeps
// attributes, metrics and names; its breadcrumbs are its own.
static bool renew(void) {
  size_t ring_size = ck_region_ring_size(), length = ck_region_length(ring_size);
  long memory = map_memory(length);
  if (cgr_syscall_failed(memory)) return false;
  unsigned char *base = (unsigned char *)memory;
  struct ck_region_header *header = (struct ck_region_header *)(void *)base, *old = ck_region_header();
  ck_region_view parent;
  if (ck_region_view_bytes(&parent, cph_region, length)) {
    header->boot_id_length = old->boot_id_length;
    header->process_name_length = old->process_name_length;
    header->application_name_length = old->application_name_length;
    header->application_version_length = old->application_version_length;
    header->application_build_length = old->application_build_length;
    cgr_copy(header->boot_id, old->boot_id, sizeof old->boot_id);
    cgr_copy(header->process_name, old->process_name, sizeof old->process_name);
    cgr_copy(header->application_name, old->application_name, sizeof old->application_name);
    cgr_copy(header->application_version, old->application_version, sizeof old->application_version);
    cgr_copy(header->application_build, old->application_build, sizeof old->application_build);
    ck_attributes_copy(&parent, base + CPH_REGION_ATTRIBUTES_OFFSET);
  }
  cph_metrics_copy(base + CPH_REGION_METRICS_OFFSET);
  ck_region_start_header(header, ring_size);
  return move_over_region(memory, length);
}

bool ck_region_ready(void) {
  atomic_store_explicit(&cph_region_renew, renew, memory_order_relaxed);
  if (!cph_region_enter()) return false;
  struct ck_region_header *header = ck_region_header();
  uint64_t none = 0;
  if (atomic_load_explicit(&header->salt, memory_order_relaxed) == 0
      && atomic_compare_exchange_strong(&header->salt, &none, random_word()))
    fill_header(header, ck_region_ring_size());
  return true;
}

bool ck_region_view_self(ck_region_view *view) {
  if (!ck_region_ready()) return false;
  if (!ck_region_view_bytes(view, cph_region, ck_region_length(ck_region_ring_size()))) return false;
  view->is_self = true;
  view->ring_epochs = atomic_load(&cph_region_private.ring_epochs);
  view->clock_offset = (int64_t)(cgr_realtime_ns() - cgr_monotonic_ns());
  return true;
}

void ck_region_enter_handler(int signal) {
  if (!ck_region_ready()) return;
  ck_evidence *evidence = &ck_region_header()->evidence;
  evidence->handler_time = cgr_monotonic_ns();
  evidence->handler_signal = (uint32_t)signal;
  __atomic_store_n(&evidence->handler_thread, (uint32_t)cgr_thread_id(), __ATOMIC_RELEASE);
}

// Another thread may have entered one since: that stands.
void ck_region_leave_handler(void) {
  if (!ck_region_ready()) return;
  ck_evidence *evidence = &ck_region_header()->evidence;
  uint32_t self = (uint32_t)cgr_thread_id();
  __atomic_compare_exchange_n(&evidence->handler_thread, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

void ck_region_begin_crash(int signal, uint64_t realtime_ns) {
  if (!ck_region_ready()) return;
  struct ck_region_header *header = ck_region_header();
  header->evidence.crash_signal = (uint32_t)signal;
  header->evidence.crash_time = realtime_ns;
  ck_region_mark_alive(cgr_monotonic_ns());
  atomic_store(&header->ending, CK_ENDING_CRASHING);
}

bool ck_region_end_crash(ck_ending ending) {
  if (!ck_region_ready()) return false;
  struct ck_region_header *header = ck_region_header();
  if (atomic_load(&header->ending) != CK_ENDING_CRASHING) return false;
  atomic_store(&header->ending, ending);
  return true;
}

void ck_region_set_hang(uint64_t since_monotonic_ns) {
  if (!ck_region_ready()) return;
  struct ck_region_header *header = ck_region_header();
  __atomic_store_n(&header->evidence.hang_since, since_monotonic_ns, __ATOMIC_RELAXED);
  ck_region_mark_alive(cgr_monotonic_ns());
}

static uint8_t set_text(char *to, const char *text, size_t bound) {
  size_t length = 0;
  while (text && text[length]) length++;
  return (uint8_t)cgr_copy_cut(to, text, length, bound);
}

void ck_region_set_application(const char *name, const char *version, const char *build) {
  if (!ck_region_ready() || !cph_region_lock_tables()) return;
  struct ck_region_header *header = ck_region_header();
  header->application_name_length = set_text(header->application_name, name, CK_NAME_MAX);
  header->application_version_length = set_text(header->application_version, version, CK_VERSION_MAX);
  header->application_build_length = set_text(header->application_build, build, CK_VERSION_MAX);
  cph_region_unlock_tables();
}

void ck_region_note_exit_test(void) {
  if (ck_region_ready()) ck_region_header()->is_exit_test = 1;
}

// The smallest page of the supported machines: of a file that was cut off, all that is left can be saved.
#define SAVED_BYTES 4096

// Copies a piece of the region if it can be read; process_vm_readv fails where a plain read would raise SIGBUS.
static bool save_piece(unsigned char *to, const unsigned char *from) {
  struct iovec target = {to, SAVED_BYTES}, source = {(void *)from, SAVED_BYTES};
  long pid = cgr_process_id();
  return cgr_syscall6(SYS_process_vm_readv, pid, (long)&target, 1, (long)&source, 1, 0) == SAVED_BYTES;
}

bool ck_region_handle_bus(uintptr_t address) {
  enum { attempts_max = 10000 };
  static _Atomic uint32_t attempts;
  size_t ring_size = ck_region_ring_size(), length = ck_region_length(ring_size);
  if (address - (uintptr_t)cph_region >= length) return false;
  // Other threads that fault meanwhile just try again, but not for ever: memory can be broken as well.
  if (atomic_fetch_add(&attempts, 1) >= attempts_max) return false;
  uint32_t attached = CK_ATTACHED;
  if (!atomic_compare_exchange_strong(&cph_region_private.attachment, &attached, CK_DETACHED))
    return attached == CK_DETACHED;
  long memory = map_memory(length);
  if (cgr_syscall_failed(memory)) return false;
  unsigned char *base = (unsigned char *)memory;
  for (size_t offset = 0; offset < length; offset += SAVED_BYTES) {
    bool saved = save_piece(base + offset, cph_region + offset);
    // With the header gone the old records have lost their key; new ones start under a new one.
    if (offset == 0 && !saved) ck_region_start_header((struct ck_region_header *)(void *)base, ring_size);
  }
  return move_over_region(memory, length);
}
