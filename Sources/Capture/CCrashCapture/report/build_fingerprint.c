// The fingerprint of a build. System calls only.

#include "report/build_fingerprint.h"

#include "CGround/hash.h"
#include "CReportTerms.h"
#include "report/stderr_lines.h"

// As the fingerprints that crashsym makes count functions (Fingerprinting.swift).
#define PLACES_COUNTED 5

typedef struct places {
  const crp_image *images[PLACES_COUNTED];
  uint64_t addresses[PLACES_COUNTED];
  size_t count;
} places;

static void add(places *places, const crp_image *image, uint64_t address) {
  for (size_t i = 0; i < places->count; ++i)
    if (places->addresses[i] == address) return;
  places->images[places->count] = image;
  places->addresses[places->count++] = address;
}

// Those of one image, or of all if it is NULL.
static void find(const ck_report *report, const crp_image *wanted, places *places) {
  const ck_stack *stack = &report->threads.entries[0].stack;
  for (uint32_t i = 0; i < stack->count && places->count < PLACES_COUNTED; ++i) {
    const crp_image *image = ck_frame_image(report, stack, i);
    if (image && (!wanted || image == wanted)) add(places, image, stack->addresses[i]);
  }
}

// The build ID stands for the build. A file without one has its name there.
static void add_place(cgr_text *text, const ck_report *report, const crp_image *image, uint64_t address) {
  if (image->build_id_size > 0)
    cgr_text_hex_bytes(text, image->build_id, image->build_id_size);
  else
    cgr_text_string(text, crp_image_name(&report->images, image));
  cgr_text_string(text, "+0x");
  cgr_text_hex(text, address - image->base, 1);
}

void ck_build_fingerprint(const ck_report *report, char out[CK_BUILD_FINGERPRINT_SIZE]) {
  places places = {.count = 0};
  const crp_image *program = crp_image_of_program(&report->images);
  if (program) find(report, program, &places);
  if (places.count == 0) find(report, NULL, &places);
  char bytes[PLACES_COUNTED * 300 + 32];
  cgr_text text = CGR_TEXT(bytes);
  cgr_text_string(&text, term_signal_name(report->fault.signal));
  for (size_t i = 0; i < places.count; ++i) {
    cgr_text_string(&text, "\n");
    add_place(&text, report, places.images[i], places.addresses[i]);
  }
  uint64_t hash = CGR_HASH_EMPTY;
  for (size_t i = 0; i < text.size; ++i) hash = cgr_hash_add(hash, (uint8_t)bytes[i]);
  cgr_text name = {.bytes = out, .capacity = CK_BUILD_FINGERPRINT_SIZE};
  cgr_text_string(&name, "b1-");
  cgr_text_hex(&name, hash, 16);
  cgr_text_terminated(&name);
}
