// Sections that every report has. System calls only.

#include "CReportParts/sections.h"

#include <sys/utsname.h>

#include "CGround/syscalls.h"

void ck_section_images(ck_json *json, const ck_images *images) {
  ck_json_begin_array(json, "images");
  for (size_t i = 0; i < images->count; ++i) {
    const ck_image *image = &images->entries[i];
    ck_json_begin_object(json, NULL);
    ck_json_text(json, "name", ck_image_name(images, image));
    if (image->build_id_size > 0) ck_json_hex(json, "buildId", image->build_id, image->build_id_size);
    ck_json_text(json, "path", ck_image_path(images, image));
    ck_json_address(json, "baseAddress", image->base);
    ck_json_address(json, "endOfText", image->end_of_text);
    ck_json_end(json);
  }
  ck_json_end(json);
  ck_json_integer(json, "omittedImages", (int64_t)images->omitted);
}

static void positive(ck_json *json, const char *key, uint64_t value) {
  if (value > 0) ck_json_integer(json, key, (int64_t)value);
}

void ck_section_memory(ck_json *json, const ck_memory_use *use) {
  ck_json_begin_object(json, "memory");
  positive(json, "resident", use->resident);
  positive(json, "peak", use->peak);
  positive(json, "virtual", use->virtual_size);
  positive(json, "limit", use->limit);
  ck_json_end(json);
}

static void os_value(ck_json *json, const char *key, const ck_text *text) {
  if (text->size > 0) ck_json_string(json, key, text->bytes, text->size);
}

void ck_section_host(ck_json *json, const ck_text *os_name, const ck_text *os_version) {
  struct utsname names;
  bool named = ck_syscall1(SYS_uname, &names) == 0;
  ck_json_begin_object(json, "host");
  if (named) ck_json_text(json, "machine", names.machine);
  os_value(json, "osName", os_name);
  os_value(json, "osVersion", os_version);
  if (named) ck_json_text(json, "kernel", names.release);
  ck_json_integer(json, "cores", ck_host_cores());
  positive(json, "memory", ck_host_memory());
  ck_json_end(json);
}
