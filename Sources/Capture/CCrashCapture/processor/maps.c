// The memory map, asked by way of the thread: the process has none once its main thread is gone. System calls only.

#include "processor/maps.h"

#include "CGround/memory.h"
#include "CGround/procfile.h"
#include "CGround/text.h"

static void copy_path(char *out, size_t capacity, const char *path, const char *end) {
  cgr_text text = {.bytes = out, .capacity = capacity};
  cgr_text_bytes(&text, path, (size_t)(end - path));
  cgr_text_terminated(&text);
}

// "start-end perms offset device inode      path"
static bool parse(const char *line, const char *end, ck_mapping *m, const char **path) {
  const char *at = line;
  m->start = cgr_parse_number(&at, end, 16);
  if (at >= end || *at++ != '-') return false;
  m->end = cgr_parse_number(&at, end, 16);
  if (end - at < 5) return false;
  m->readable = at[1] == 'r';
  m->writable = at[2] == 'w';
  m->executable = at[3] == 'x';
  at += 5;
  for (int field = 0; field < 3; ++field) {
    while (at < end && *at == ' ') ++at;
    while (at < end && *at != ' ') ++at;
  }
  while (at < end && *at == ' ') ++at;
  *path = at;
  return true;
}

bool ck_maps_query(ck_map_query *queries, size_t count) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, "/proc/thread-self/maps")) return false;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    ck_mapping m;
    const char *path;
    if (!parse(line, end, &m, &path)) continue;
    for (size_t i = 0; i < count; ++i) {
      ck_map_query *q = &queries[i];
      if (q->address >= m.start && q->address < m.end) {
        q->at.found = true;
        q->at.start = m.start;
        q->at.end = m.end;
        q->at.readable = m.readable;
        q->at.writable = m.writable;
        q->at.executable = m.executable;
        copy_path(q->at.path, sizeof q->at.path, path, end);
      } else if (m.start > q->address && !q->has_next) {
        q->has_next = true;
        q->next_start = m.start;
        q->next_end = m.end;
        q->next_writable = m.writable;
        copy_path(q->next_path, sizeof q->next_path, path, end);
      }
    }
  }
  cgr_lines_close(&lines);
  return true;
}
