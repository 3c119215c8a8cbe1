// The name of the program's file, kept for the lines to come. System calls and functions of strings only.

#include "process_name.h"

#include "program_path.h"

static char name[64];

const char *ctg_process_name(void) {
  if (!name[0]) ck_program_name(name, sizeof name);
  return name[0] ? name : "unnamed";
}
