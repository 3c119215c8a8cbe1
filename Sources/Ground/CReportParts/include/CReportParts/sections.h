#pragma once
// Sections that every report has. Async-signal-safe.

#include "CReportParts/host.h"
#include "CReportParts/images.h"
#include "CReportParts/json.h"

#pragma GCC visibility push(hidden)

/// `images` and `omittedImages`.
void ck_section_images(ck_json *json, const ck_images *images);
void ck_section_memory(ck_json *json, const ck_memory_use *use);
void ck_section_host(ck_json *json, const ck_text *os_name, const ck_text *os_version);

#pragma GCC visibility pop
