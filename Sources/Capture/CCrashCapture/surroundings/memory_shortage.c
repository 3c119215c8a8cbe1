// memory.events and memory.pressure, or the counters of control groups' version 1. System calls only.

#include "memory_shortage.h"

#include "CGround/memory.h"
#include "CGround/procfile.h"
#include "CGround/text.h"

static bool is_word(const char *line, const char *end, const char *word) {
  size_t size = cgr_length(word);
  return (size_t)(end - line) > size && cgr_starts_with(line, word) && line[size] == ' ';
}

static void read_counter(const char *line, const char *end, const char *name, uint64_t *counter) {
  if (!is_word(line, end, name)) return;
  const char *at = line + cgr_length(name) + 1;
  *counter = cgr_parse_number(&at, end, 10);
}

static void read_events(const char *path, ck_memory_shortage *shortage) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, path)) return;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    read_counter(line, end, "high", &shortage->high);
    read_counter(line, end, "max", &shortage->max);
    read_counter(line, end, "oom", &shortage->oom);
    read_counter(line, end, "oom_kill", &shortage->oom_kill);
  }
  cgr_lines_close(&lines);
}

// "some avg10=1.23 avg60=…": two digits follow the point.
static uint64_t hundredths(const char *line, const char *end, const char *word) {
  static const char key[] = "avg10=";
  const char *at = line + cgr_length(word) + 1;
  if ((size_t)(end - at) < sizeof key || !cgr_starts_with(at, key)) return CK_SHORTAGE_UNKNOWN;
  at += sizeof key - 1;
  uint64_t whole = cgr_parse_number(&at, end, 10);
  if (end - at < 3 || *at++ != '.') return CK_SHORTAGE_UNKNOWN;
  return whole * 100 + cgr_parse_number(&at, at + 2, 10);
}

static bool read_pressure(const char *path, ck_memory_shortage *shortage) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, path)) return false;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    if (is_word(line, end, "some")) shortage->some_waited = hundredths(line, end, "some");
    if (is_word(line, end, "full")) shortage->all_waited = hundredths(line, end, "full");
  }
  cgr_lines_close(&lines);
  return shortage->some_waited != CK_SHORTAGE_UNKNOWN;
}

// Another file of the group: the path without its last part, and the name.
static const char *beside(const ck_evidence *evidence, const char *name, cgr_text *path) {
  size_t size = evidence->events_path_length;
  while (size > 0 && evidence->events_path[size - 1] != '/') --size;
  path->size = 0;
  cgr_text_bytes(path, evidence->events_path, size);
  cgr_text_string(path, name);
  return cgr_text_terminated(path);
}

void ck_memory_shortage_read(const ck_evidence *evidence, ck_memory_shortage *shortage) {
  *shortage = (ck_memory_shortage){CK_SHORTAGE_UNKNOWN, CK_SHORTAGE_UNKNOWN, CK_SHORTAGE_UNKNOWN,
                                   CK_SHORTAGE_UNKNOWN, CK_SHORTAGE_UNKNOWN, CK_SHORTAGE_UNKNOWN};
  char bytes[CK_EVENTS_PATH_MAX + 32], value[64];
  cgr_text path = CGR_TEXT(bytes);
  size_t length = evidence->events_path_length;
  if (length > 0 && length < CK_EVENTS_PATH_MAX) {
    cgr_text_bytes(&path, evidence->events_path, length);
    read_events(cgr_text_terminated(&path), shortage);
    if (read_pressure(beside(evidence, "memory.pressure", &path), shortage)) return;
    long size = cgr_file_read(beside(evidence, "memory.failcnt", &path), value, sizeof value);
    const char *at = value;
    if (size > 0) shortage->max = cgr_parse_number(&at, value + size, 10);
  }
  read_pressure("/proc/pressure/memory", shortage);
}
