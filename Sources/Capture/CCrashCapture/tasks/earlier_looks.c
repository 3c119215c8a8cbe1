// Keeps two tables: what the last search found, and what is written meanwhile. A crash reads the first one only.

#include "tasks/earlier_looks.h"

#include <stdatomic.h>
#include <stddef.h>
#include <sys/mman.h>

#include "CGround/mapping.h"
#include "CGround/syscalls.h"

typedef struct look {
  uint64_t id;
  uint64_t chain;
  uint64_t since_ns;
} look;

typedef struct looks {
  size_t count;
  look entries[TERM_TASKS_MAX];  // by id
} looks;

static looks *_Atomic last;
static looks *spare;

// When the task was first found with this chain; 0 if the last search found none such.
static uint64_t since(uint64_t id, uint64_t chain) {
  const looks *table = atomic_load_explicit(&last, memory_order_acquire);
  size_t low = 0, high = table ? table->count : 0;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    const look *entry = &table->entries[middle];
    if (entry->id == id) return entry->chain == chain ? entry->since_ns : 0;
    if (entry->id < id)
      low = middle + 1;
    else
      high = middle;
  }
  return 0;
}

uint64_t ck_earlier_looks_unmoved(const ck_task_record *record, uint64_t now_ns) {
  uint64_t first = record->chain != 0 ? since(record->id, record->chain) : 0;
  return first > 0 && first < now_ns ? now_ns - first : 0;
}

static looks *make_table(void) {
  long memory = cgr_map_apart(sizeof(looks));
  return cgr_syscall_failed(memory) ? NULL : (looks *)memory;
}

void ck_earlier_looks_keep(const ck_all_tasks *tasks, uint64_t now_ns) {
  looks *next = spare ? spare : make_table();
  if (next) next->count = 0;
  for (size_t i = 0; next && i < tasks->count; ++i) {
    const ck_task_record *record = &tasks->records[i];
    if (record->chain == 0) continue;
    uint64_t first = since(record->id, record->chain);
    next->entries[next->count++] = (look){record->id, record->chain, first > 0 ? first : now_ns};
  }
  spare = atomic_load_explicit(&last, memory_order_relaxed);
  atomic_store_explicit(&last, next, memory_order_release);
}
