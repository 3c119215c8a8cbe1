#include "probe.h"
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

static const struct {
  const char *name;
  int arguments;
  probe run;
} probes[] = {
    {"records", 3, probe_records},
    {"counted", 2, probe_counted},
    {"producers", 4, probe_producers},
    {"interrupted", 1, probe_interrupted},
    {"late-attach", 2, probe_late_attach},
    {"attach-race", 2, probe_attach_race},
    {"quiet", 1, probe_quiet},
    {"truncated", 2, probe_truncated},
    {"fork", 1, probe_fork},
    {"raw-fork", 1, probe_raw_fork},
    {"fork-hold", 2, probe_fork_hold},
    {"fork-of-threads", 1, probe_fork_of_threads},
    {"spawn", 1, probe_spawn},
    {"attributes", 1, probe_attributes},
    {"metrics", 1, probe_metrics},
};

void attach(const char *directory, size_t ring_size) {
  int fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  CHECK(fd >= 0, "%s", directory);
  int result = ck_region_attach(fd, directory, ring_size);
  CHECK(result == 0, "%s", strerror(-result));
  close(fd);
}

void record(const char *text, unsigned number) {
  char message[128];
  int length = snprintf(message, sizeof message, "%s %u", text, number);
  CHECK(ck_breadcrumb_record(message, (size_t)length, "probe", 5, CK_INFO, NULL));
}

unsigned count_records(const char *text, long *last) {
  static ck_ring_reader reader;
  ck_region_view view;
  ck_breadcrumb breadcrumb;
  unsigned count = 0;
  *last = -1;
  CHECK(ck_region_view_self(&view));
  ck_ring_reader_init(&reader, &view);
  while (ck_ring_next(&reader, &breadcrumb)) {
    size_t length = strlen(text);
    if (breadcrumb.message_length <= length || memcmp(breadcrumb.message, text, length) != 0) continue;
    *last = strtol(breadcrumb.message + length, NULL, 10);
    count++;
  }
  return count;
}

void expect_success(pid_t child) {
  int status = -1;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(status == 0, "child ended with %#x", (unsigned)status);
}

int main(int count, char **arguments) {
  for (size_t i = 0; count > 1 && i < sizeof probes / sizeof *probes; i++)
    if (strcmp(arguments[1], probes[i].name) == 0 && count == probes[i].arguments + 2)
      return probes[i].run(arguments + 2);
  fprintf(stderr, "usage: region-probe NAME ARGUMENT…\n");
  return 64;
}
