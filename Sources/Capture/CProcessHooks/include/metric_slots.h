#pragma once
// Metric slots: the last value of each of a program's metrics, kept where a crash report and the next launch can read
// it.
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#pragma GCC visibility push(hidden)

#ifdef __cplusplus
extern "C" {
#endif

enum {
  CPH_METRIC_SLOTS = 64,
  CPH_METRIC_NAME_SIZE = 64,  // bytes, without a terminator; longer names are cut
  CPH_METRIC_UNIT_SIZE = 32,
};

typedef enum cph_metric_state : uint8_t {
  CPH_METRIC_UNKNOWN = 0,
  CPH_METRIC_NOMINAL = 1,
  CPH_METRIC_CRITICAL = 2,
} cph_metric_state;

/// A metric as read from the table. The strings are not terminated.
typedef struct cph_metric {
  char name[CPH_METRIC_NAME_SIZE];
  char unit[CPH_METRIC_UNIT_SIZE];
  uint8_t name_length;
  uint8_t unit_length;
  bool has_value;  // false: registered, never updated
  bool has_threshold;
  cph_metric_state state;
  double value;
  double threshold;
  uint64_t updated_at;  // CLOCK_MONOTONIC, nanoseconds
} cph_metric;

/// The slot of the metric with this name, made if there is none: the same name gives the same slot. The unit of the
/// first registration stays. Returns -1 when all slots are taken or the name is empty. Callable from any thread, not
/// from a signal handler; it does not allocate.
int cph_metric_register(const char *name, size_t name_length, const char *unit, size_t unit_length);

/// Stores a metric's value. Wait-free, and async-signal-safe. A slot that was never registered is left alone.
void cph_metric_update(int slot, double value, cph_metric_state state, bool has_threshold, double threshold);

/// Reads a slot of the table of this process. False: nothing (whole) is there. Async-signal-safe.
bool cph_metric_read(int slot, cph_metric *metric);

/// Reads a slot of a table that lies at `table`, `available` bytes of it: a dead process's. Any bytes will do.
/// Async-signal-safe.
bool cph_metric_read_table(const void *table, size_t available, int slot, cph_metric *metric);

#ifdef __cplusplus
}
#endif

#pragma GCC visibility pop
