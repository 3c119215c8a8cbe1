// Facts about the machine and the process. System calls only.

#include "CReportParts/host.h"

#include <sys/resource.h>
#include <sys/sysinfo.h>

#include "CGround/clock.h"
#include "CGround/memory.h"
#include "CGround/procfile.h"
#include "CGround/syscalls.h"

void crp_host_os_release(const char *key, cgr_text *text) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, "/etc/os-release") && !cgr_lines_open(&lines, "/usr/lib/os-release")) return;
  const char *end;
  size_t size = cgr_length(key);
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    if ((size_t)(end - line) <= size || !cgr_starts_with(line, key) || line[size] != '=') continue;
    const char *value = line + size + 1;
    if (value < end && *value == '"') ++value;
    if (end > value && end[-1] == '"') --end;
    cgr_text_bytes(text, value, (size_t)(end - value));
    break;
  }
  cgr_lines_close(&lines);
}

void crp_host_platform(cgr_text *text) {
  cgr_text_string(text, "Linux (");
  size_t before = text->size;
  crp_host_os_release("PRETTY_NAME", text);
  if (text->size == before) cgr_text_string(text, "unknown");
  cgr_text_string(text, ")");
}

// Field 22 of /proc/self/stat, counted behind the last ")": the name may hold anything. Ticks are 1/100 s to user
// space on every Linux (proc(5), USER_HZ).
uint64_t crp_process_uptime_ns(void) {
  char buffer[1024];
  long size = cgr_file_read("/proc/self/stat", buffer, sizeof buffer);
  if (size <= 0) return 0;
  const char *end = buffer + size;
  const char *at = end;
  while (at > buffer && *at != ')') --at;
  for (int field = 2; field < 22; ++field) {
    while (at < end && *at != ' ') ++at;
    while (at < end && *at == ' ') ++at;
  }
  uint64_t started_ns = cgr_parse_number(&at, end, 10) * 10000000u;
  uint64_t now = cgr_clock_ns(CLOCK_BOOTTIME);
  return started_ns > 0 && now > started_ns ? now - started_ns : 0;
}

static uint64_t kilobytes(const char *line, const char *end) {
  while (line < end && (*line < '0' || *line > '9')) ++line;
  return cgr_parse_number(&line, end, 10) * 1024;
}

static void smallest(uint64_t *limit, uint64_t candidate) {
  if (candidate > 0 && (*limit == 0 || candidate < *limit)) *limit = candidate;
}

// One control file of the process's cgroup; "max", and the huge number that version 1 means by it, are no limit.
static uint64_t cgroup_limit(const char *root, const char *group, const char *group_end, const char *file) {
  char path[512], value[64];
  cgr_text text = CGR_TEXT(path);
  cgr_text_string(&text, root);
  cgr_text_bytes(&text, group, (size_t)(group_end - group));
  cgr_text_string(&text, "/");
  cgr_text_string(&text, file);
  long size = cgr_file_read(cgr_text_terminated(&text), value, sizeof value);
  if (size <= 0) return 0;
  const char *at = value;
  uint64_t bytes = cgr_parse_number(&at, value + size, 10);
  return bytes >= 1ull << 60 ? 0 : bytes;
}

uint64_t crp_memory_limit(void) {
  uint64_t limit = 0;
  struct rlimit address_space;
  if (cgr_syscall4(SYS_prlimit64, 0, RLIMIT_AS, NULL, &address_space) == 0 && address_space.rlim_cur != RLIM_INFINITY)
    limit = address_space.rlim_cur;
  cgr_lines lines;
  if (!cgr_lines_open(&lines, "/proc/self/cgroup")) return limit;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    // "0::/path" for version 2, "N:memory:/path" for version 1. Inside a container the path may be the host's: the
    // root of the mounted tree is then the group itself.
    bool version2 = cgr_starts_with(line, "0::");
    const char *group = line;
    for (int colons = 0; group < end && colons < 2; ++group) colons += *group == ':';
    if (version2) {
      smallest(&limit, cgroup_limit("/sys/fs/cgroup", group, end, "memory.max"));
      smallest(&limit, cgroup_limit("/sys/fs/cgroup", group, group, "memory.max"));
    } else if (cgr_starts_with(group - 7 > line ? group - 7 : line, "memory:")) {
      smallest(&limit, cgroup_limit("/sys/fs/cgroup/memory", group, end, "memory.limit_in_bytes"));
      smallest(&limit, cgroup_limit("/sys/fs/cgroup/memory", group, group, "memory.limit_in_bytes"));
    }
  }
  cgr_lines_close(&lines);
  return limit;
}

// By way of the thread, for a main thread that is gone has no memory. Its lines are off the stack before the limit's
// come.
static __attribute__((noinline)) void read_use(crp_memory_use *use) {
  cgr_lines lines;
  if (!cgr_lines_open(&lines, "/proc/thread-self/status")) return;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    if (cgr_starts_with(line, "VmSize:")) use->virtual_size = kilobytes(line, end);
    if (cgr_starts_with(line, "VmHWM:")) use->peak = kilobytes(line, end);
    if (cgr_starts_with(line, "VmRSS:")) use->resident = kilobytes(line, end);
  }
  cgr_lines_close(&lines);
}

crp_memory_use crp_process_memory(void) {
  crp_memory_use use = {0, 0, 0, 0};
  read_use(&use);
  use.limit = crp_memory_limit();
  return use;
}

unsigned crp_host_cores(void) {
  uint64_t mask[64];
  long size = cgr_syscall3(SYS_sched_getaffinity, 0, sizeof mask, mask);
  unsigned cores = 0;
  for (long i = 0; i < size / 8; ++i) cores += (unsigned)__builtin_popcountll(mask[i]);
  return cores;
}

uint64_t crp_host_memory(void) {
  struct sysinfo info;
  if (cgr_syscall1(SYS_sysinfo, &info) != 0) return 0;
  return (uint64_t)info.totalram * info.mem_unit;
}
