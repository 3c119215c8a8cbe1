// The rows of section_table.def that this target writes. A table only.

#include "report/section_table.h"

#define ROW_true_true(...) {__VA_ARGS__},
#define ROW_true_false(...) {__VA_ARGS__},
#define ROW_false_true(...) {__VA_ARGS__},
#define ROW_false_false(...)

const ck_section ck_sections[] = {
#define SECTION(writer, name, in_crash, in_live, in_violation, always, keys) \
  ROW_##in_crash##_##in_live(name, ck_write_##writer, in_crash, in_live, always)
#include "CReportParts/section_table.def"
#undef SECTION
};
const size_t ck_section_count = sizeof ck_sections / sizeof *ck_sections;
