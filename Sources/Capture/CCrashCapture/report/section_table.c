// The rows of section_table.def. A table only.

#include "report/section_table.h"

const ck_section ck_sections[] = {
#define SECTION(name, writer, in_crash, in_live, always, keys) {name, writer, in_crash, in_live, always},
#include "section_table.def"
#undef SECTION
};
const size_t ck_section_count = sizeof ck_sections / sizeof *ck_sections;
