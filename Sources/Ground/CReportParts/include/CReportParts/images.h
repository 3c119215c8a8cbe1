#pragma once
// The loaded images. The table is kept from install on, and compared with the loader's list when a report is made.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#define CRP_IMAGES_MAX 1024
#define CRP_BUILD_ID_MAX 32

typedef struct crp_image {
  uint64_t base;                                  // where the ELF header is mapped
  uint64_t end;                                   // behind the last loaded segment
  uint64_t end_of_text;                           // behind the last executable segment
  uint64_t load_bias;                             // address in memory minus address in the file
  uint64_t eh_frame_header;                       // 0 if there is none
  uint64_t eh_segment_start, eh_segment_end;      // the readable segment that holds it
  uint64_t text_segment_start, text_segment_end;  // the first executable segment
  uint64_t fde_table;                             // sorted table of .eh_frame_hdr, 0 if it has another shape
  uint64_t fde_count;
  uint64_t link_map;
  uint64_t dynamic;
  uint32_t path;  // offset into the table's text
  uint8_t build_id_size;
  uint8_t build_id[CRP_BUILD_ID_MAX];
} crp_image;

typedef struct crp_images {
  crp_image entries[CRP_IMAGES_MAX];  // sorted by base
  size_t count;
  size_t omitted;
  size_t text_size;
  char text[128 * 1024];
} crp_images;

/// Fills the table, with the loader's lock held and paths made absolute. Not for handlers: called at install.
void crp_images_prepare(crp_images *images);

/// Fills the table without the loader's lock and without allocating; an image whose path is relative keeps that. The
/// memory of the table must be zeroed. Async-signal-safe; bounded.
void crp_images_read(crp_images *images);

/// Makes the table match the loader's list of now, without its lock. Async-signal-safe; bounded.
void crp_images_refresh(crp_images *images);

/// The image that holds `address`, or NULL. Async-signal-safe.
const crp_image *crp_image_at(const crp_images *images, uint64_t address);

/// Whether an image holds code at `address`, and no data. Async-signal-safe.
static inline bool crp_images_hold_code(const crp_images *images, uint64_t address) {
  const crp_image *image = crp_image_at(images, address);
  return image && address < image->end_of_text;
}

/// The program's own image, or NULL. Async-signal-safe.
const crp_image *crp_image_of_program(const crp_images *images);

const char *crp_image_path(const crp_images *images, const crp_image *image);
/// The path's last part.
const char *crp_image_name(const crp_images *images, const crp_image *image);

#pragma GCC visibility pop
