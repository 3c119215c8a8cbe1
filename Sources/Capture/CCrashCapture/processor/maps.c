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
bool ck_mapping_parse(const char *line, const char *end, ck_mapping *m) {
  const char *at = line;
  m->found = false;
  m->start = cgr_parse_number(&at, end, 16);
  if (at >= end || *at++ != '-') return false;
  m->end = cgr_parse_number(&at, end, 16);
  if (end - at < 6) return false;
  m->readable = at[1] == 'r';
  m->writable = at[2] == 'w';
  m->executable = at[3] == 'x';
  m->is_private = at[4] == 'p';
  at += 5;
  for (int field = 0; field < 3; ++field) {
    while (at < end && *at == ' ') ++at;
    while (at < end && *at != ' ') ++at;
  }
  while (at < end && *at == ' ') ++at;
  copy_path(m->path, sizeof m->path, at, end);
  m->found = true;
  return true;
}

bool ck_maps_query(ck_map_query *queries, size_t count) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, "/proc/thread-self/maps")) return false;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    ck_mapping m;
    if (!ck_mapping_parse(line, end, &m)) continue;
    for (size_t i = 0; i < count; ++i) {
      ck_map_query *q = &queries[i];
      bool is_above = m.start > q->address;
      if (q->address >= m.start && q->address < m.end)
        q->at = m;
      else if (!is_above)
        q->below = m;
      else if (!q->above.found)
        q->above = m;
    }
  }
  cgr_lines_close(&lines);
  return true;
}
