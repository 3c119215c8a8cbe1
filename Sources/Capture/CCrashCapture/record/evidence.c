// Control group, machine and namespace at the start. System calls only.

#include "record/evidence.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "CReportParts/host.h"
#include "CGround/memory.h"
#include "CGround/procfile.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static uint64_t inode(const char *path) {
  struct stat status;
  return cgr_syscall4(SYS_newfstatat, AT_FDCWD, path, &status, 0) == 0 ? status.st_ino : 0;
}

// The number after "NAME " at the start of a line; UINT64_MAX if there is none.
static uint64_t counter(const char *path, const char *name) {
  uint64_t value = UINT64_MAX;
  cgr_lines lines;
  if (!cgr_lines_open(&lines, path)) return value;
  const char *end;
  size_t size = cgr_length(name);
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    if ((size_t)(end - line) <= size || !cgr_starts_with(line, name) || line[size] != ' ') continue;
    const char *at = line + size + 1;
    value = cgr_parse_number(&at, end, 10);
    break;
  }
  cgr_lines_close(&lines);
  return value;
}

static bool note_events(ck_evidence *evidence, const char *root, const char *group, const char *end, const char *file) {
  cgr_text path = {.bytes = evidence->events_path, .capacity = sizeof evidence->events_path};
  cgr_text_string(&path, root);
  cgr_text_bytes(&path, group, (size_t)(end - group));
  cgr_text_string(&path, "/");
  cgr_text_string(&path, file);
  const char *terminated = cgr_text_terminated(&path);
  uint64_t kills = path.cut ? UINT64_MAX : counter(terminated, "oom_kill");
  if (kills == UINT64_MAX) return false;
  evidence->oom_kills = kills;
  evidence->events_inode = inode(terminated);
  evidence->events_path_length = (uint16_t)path.size;
  return true;
}

// "0::/path" for version 2 of control groups, "N:memory:/path" for version 1. Inside a container the path may be the
// host's: the root of the mounted tree is then the group itself.
static void find_events(ck_evidence *evidence) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, "/proc/self/cgroup")) return;
  const char *end;
  bool found = false;
  for (const char *line; !found && (line = cgr_lines_next(&lines, &end)) != NULL;) {
    const char *group = line, *controllers = NULL;
    for (int colons = 0; group < end && colons < 2; ++group) {
      if (*group != ':') continue;
      if (++colons == 1) controllers = group + 1;
    }
    if (!controllers) continue;
    if (cgr_starts_with(line, "0::"))
      found = note_events(evidence, "/sys/fs/cgroup", group, end, "memory.events")
              || note_events(evidence, "/sys/fs/cgroup", group, group, "memory.events");
    else if (group - controllers == sizeof "memory:" - 1 && cgr_starts_with(controllers, "memory:"))
      found = note_events(evidence, "/sys/fs/cgroup/memory", group, end, "memory.oom_control")
              || note_events(evidence, "/sys/fs/cgroup/memory", group, group, "memory.oom_control");
  }
  cgr_lines_close(&lines);
}

void ck_evidence_fill(ck_evidence *evidence) {
  cgr_zero(evidence, sizeof *evidence);
  find_events(evidence);
  evidence->pid_namespace = inode("/proc/self/ns/pid");
  evidence->memory_limit = crp_memory_limit();
  evidence->machine_oom_kills = counter("/proc/vmstat", "oom_kill");
}
