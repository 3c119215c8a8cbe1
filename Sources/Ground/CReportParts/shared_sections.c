// Sections that every report has. System calls only.

#include "CReportParts/shared_sections.h"

#include <sys/utsname.h>

#include "CGround/syscalls.h"
#include "CReportParts/origin.h"

void crp_section_image(crp_json *json, const crp_images *images, const crp_image *image) {
  crp_json_begin_object(json, NULL);
  crp_json_text(json, "name", crp_image_name(images, image));
  if (image->build_id_size > 0) crp_json_hex(json, "buildId", image->build_id, image->build_id_size);
  crp_json_text(json, "path", crp_image_path(images, image));
  crp_json_address(json, "baseAddress", image->base);
  crp_json_address(json, "endOfText", image->end_of_text);
  crp_json_end(json);
}

void crp_section_images(crp_json *json, const crp_images *images) {
  crp_json_begin_array(json, "images");
  for (size_t i = 0; i < images->count; ++i) crp_section_image(json, images, &images->entries[i]);
  crp_json_end(json);
  crp_json_integer(json, "omittedImages", (int64_t)images->omitted);
}

static void positive(crp_json *json, const char *key, uint64_t value) {
  if (value > 0) crp_json_integer(json, key, (int64_t)value);
}

void crp_section_memory_begin(crp_json *json, const crp_memory_use *use) {
  crp_json_begin_object(json, "memory");
  positive(json, "resident", use->resident);
  positive(json, "peak", use->peak);
  positive(json, "virtual", use->virtual_size);
  positive(json, "limit", use->limit);
}

static void os_value(crp_json *json, const char *key, const cgr_text *text) {
  if (text->size > 0) crp_json_string(json, key, text->bytes, text->size);
}

void crp_section_host(crp_json *json, const cgr_text *os_name, const cgr_text *os_version) {
  struct utsname names;
  bool named = cgr_syscall1(SYS_uname, &names) == 0;
  crp_json_begin_object(json, "host");
  crp_origin_write(json);
  if (named) crp_json_text(json, "machine", names.machine);
  os_value(json, "osName", os_name);
  os_value(json, "osVersion", os_version);
  if (named) crp_json_text(json, "kernel", names.release);
  crp_json_integer(json, "cores", crp_host_cores());
  positive(json, "memory", crp_host_memory());
  crp_json_end(json);
}
