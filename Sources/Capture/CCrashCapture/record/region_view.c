// Opening a view on a region's header. Calls nothing: async-signal-safe.
#include "region_view.h"
#include "record/region_format.h"
#include "CGround/utf8.h"

static uint8_t copy_text(char *to, const char *from, uint8_t length, size_t bound) {
  size_t kept = length <= bound ? length : 0;
  cgr_copy(to, from, kept);
  return (uint8_t)kept;
}

// A file may be cut inside of the header, behind the names.
static void copy_evidence(ck_region_view *view, const struct ck_region_header *header, size_t size) {
  view->evidence = (ck_evidence){.machine_oom_kills = UINT64_MAX};
  if (header->version < 2 || size < offsetof(struct ck_region_header, padding)) return;
  cgr_copy(&view->evidence, &header->evidence, sizeof view->evidence);
}

bool ck_region_view_bytes(ck_region_view *view, const void *bytes, size_t size) {
  const struct ck_region_header *header = bytes;
  if (size < offsetof(struct ck_region_header, unused_after_names) || (uintptr_t)bytes % 8 != 0) return false;
  if (__atomic_load_n(&header->magic, __ATOMIC_ACQUIRE) != CK_REGION_MAGIC || header->version < CK_REGION_OLDEST_VERSION
      || header->version > CK_REGION_VERSION)
    return false;
  uint32_t ring_size = atomic_load(&header->ring_size), ending = atomic_load(&header->ending);
  if (ring_size < CK_RING_MIN_SIZE || ring_size > CK_RING_MAX_SIZE || (ring_size & (ring_size - 1)) != 0) return false;
  if (header->header_size != sizeof *header || header->metrics_offset != CPH_REGION_METRICS_OFFSET
      || header->attributes_offset != CPH_REGION_ATTRIBUTES_OFFSET || header->ring_offset != CPH_REGION_RING_OFFSET)
    return false;
  view->base = bytes;
  view->available = size;
  view->is_self = false;
  view->pid = header->pid;
  view->parent_pid = header->parent_pid;
  view->is_exit_test = header->is_exit_test == 1;
  view->ring_offset = header->ring_offset;
  view->ring_size = ring_size;
  view->salt = atomic_load(&header->salt);
  view->ring_epochs = atomic_load(&header->ring_epochs);
  view->instance = header->instance;
  view->start_ticks = header->start_ticks;
  view->started_at = header->started_at;
  view->last_alive = atomic_load(&header->last_alive);
  view->clock_offset = atomic_load(&header->clock_offset);
  view->ending = ending <= CK_ENDING_PRINTED ? (ck_ending)ending : CK_ENDING_NONE;
  view->boot_id_length = copy_text(view->boot_id, header->boot_id, header->boot_id_length, CK_BOOT_ID_SIZE);
  view->process_name_length =
      copy_text(view->process_name, header->process_name, header->process_name_length, CK_NAME_MAX);
  view->application_name_length =
      copy_text(view->application_name, header->application_name, header->application_name_length, CK_NAME_MAX);
  view->application_version_length = copy_text(view->application_version, header->application_version,
                                               header->application_version_length, CK_VERSION_MAX);
  view->application_build_length =
      copy_text(view->application_build, header->application_build, header->application_build_length, CK_VERSION_MAX);
  copy_evidence(view, header, size);
  return true;
}

bool ck_metric_read(const ck_region_view *view, int slot, cph_metric *metric) {
  if (view->available < CPH_REGION_METRICS_OFFSET) return false;
  size_t available = view->available - CPH_REGION_METRICS_OFFSET;
  return cph_metric_read_table(view->base + CPH_REGION_METRICS_OFFSET, available, slot, metric);
}
