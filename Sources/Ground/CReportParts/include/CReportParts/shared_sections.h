#pragma once
// Sections that every report has. Async-signal-safe.

#include "CReportParts/host.h"
#include "CReportParts/images.h"
#include "CReportParts/json.h"

#pragma GCC visibility push(hidden)

/// One element of `images`.
void crp_section_image(crp_json *json, const crp_images *images, const crp_image *image);
/// `images` and `omittedImages`.
void crp_section_images(crp_json *json, const crp_images *images);
/// Begins the section: who calls this may add to it, and ends it.
void crp_section_memory_begin(crp_json *json, const crp_memory_use *use);
void crp_section_host(crp_json *json, const cgr_text *os_name, const cgr_text *os_version);

#pragma GCC visibility pop
