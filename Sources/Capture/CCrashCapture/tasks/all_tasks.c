// The search for tasks, their order by age, and which of them wait at the same place. Reads that cannot fault.

#include "tasks/all_tasks.h"

#include "CGround/clock.h"
#include "tasks/swift_task.h"
#include "tasks/task_check.h"
#include "tasks/task_reading.h"

// --- The search ------------------------------------------------------------------------------------------------

static void add(const crp_images *images, ck_all_tasks *tasks, uint64_t object, const uint8_t *bytes) {
  if (!ck_task_is_live(images, bytes, &tasks->pages) || ck_task_is_helper(bytes)) return;
  if (tasks->count == TERM_TASKS_MAX) {
    ++tasks->omitted;
    return;
  }
  ck_task_record record = {.object = object, .id = ck_task_id(bytes), .kind = CK_TASK_KIND_NONE};
  if (!(ck_task_word(bytes, TERM_TASK_STATUS) & TERM_STATUS_RUNNING)) {
    ck_task_chain_read(images, bytes, &tasks->pages, &tasks->chain);
    // Its end may not have been read.
    if (ck_time_limit_is_over(&tasks->limit)) return;
    record.chain = tasks->chain.hash;
  }
  tasks->records[tasks->count++] = record;
}

static void search_piece(const crp_images *images, ck_all_tasks *tasks) {
  const ck_page_cache *piece = &tasks->pages;
  for (size_t offset = 0; offset + 8 <= piece->copy_size; offset += TERM_TASK_ALIGNMENT) {
    if (ck_task_word(piece->copy, offset) != ck_task_layout_found.task_metadata) continue;
    if (ck_time_limit_is_over(&tasks->limit)) return;
    uint64_t object = piece->copy_address + offset;
    ck_task_copy copy;
    if (offset + TERM_TASK_BYTES <= piece->copy_size)
      add(images, tasks, object, piece->copy + offset);
    else if (ck_swift_task_copy(object, &copy))
      add(images, tasks, object, copy.bytes);
  }
}

// --- Order -----------------------------------------------------------------------------------------------------

static void sift(ck_task_record *heap, size_t count, size_t at) {
  ck_task_record moving = heap[at];
  for (size_t child; (child = 2 * at + 1) < count; at = child) {
    if (child + 1 < count && heap[child + 1].id > heap[child].id) ++child;
    if (heap[child].id <= moving.id) break;
    heap[at] = heap[child];
  }
  heap[at] = moving;
}

static void sort(ck_task_record *records, size_t count) {
  for (size_t at = count / 2; at-- > 0;) sift(records, count, at);
  for (size_t end = count; end-- > 1;) {
    ck_task_record largest = records[0];
    records[0] = records[end];
    records[end] = largest;
    sift(records, end, 0);
  }
}

// An id is given once: of two with the same one, one is a trace of a task that was.
static void drop_doubles(ck_all_tasks *tasks) {
  size_t kept = 0;
  for (size_t i = 0; i < tasks->count; ++i)
    if (kept == 0 || tasks->records[kept - 1].id != tasks->records[i].id) tasks->records[kept++] = tasks->records[i];
  tasks->count = kept;
}

// --- Kinds -----------------------------------------------------------------------------------------------------

// So many places of the table are looked at for one chain.
#define PROBES 32

static uint32_t kind_of(ck_all_tasks *tasks, uint32_t index) {
  uint64_t chain = tasks->records[index].chain;
  for (uint32_t i = 0; i < PROBES; ++i) {
    uint32_t place = (uint32_t)(chain + i) & (TERM_TASK_CHAINS_MAX - 1);
    ck_task_kind *kind = &tasks->kinds[place];
    if (kind->count == 0) *kind = (ck_task_kind){.chain = chain, .first = index};
    if (kind->chain != chain) continue;
    ++kind->count;
    return place;
  }
  return CK_TASK_KIND_NONE;
}

static void find_kinds(ck_all_tasks *tasks) {
  cgr_zero(tasks->kinds, sizeof tasks->kinds);
  for (uint32_t i = 0; i < tasks->count; ++i)
    if (tasks->records[i].chain != 0) tasks->records[i].kind = kind_of(tasks, i);
}

void ck_all_tasks_find(const crp_images *images, ck_all_tasks *tasks) {
  uint64_t started = cgr_monotonic_ns();
  tasks->count = tasks->omitted = 0;
  tasks->limit =
      tasks->is_alive ? ck_time_limit_of_work(CK_TASK_SEARCH_ALIVE_NS) : ck_time_limit_by_clock(CK_TASK_SEARCH_NS);
  ck_task_layout_search(images, tasks->walk.room, sizeof tasks->walk.room, &tasks->limit);
  tasks->why_none = ck_task_layout_found.is_known ? NULL : ck_task_layout_found.why_not;
  if (!tasks->why_none && ck_task_layout_found.slab_metadata == 0) tasks->why_none = TERM_TASKS_NO_SLABS;
  if (tasks->why_none) return;
  if (!ck_memory_walk_open(&tasks->walk, &tasks->limit)) {
    tasks->why_none = "the mappings of memory cannot be read";
    return;
  }
  ck_page_cache *pages = &tasks->pages;
  pages->limit = &tasks->limit;
  do {
    ck_page_cache_forget(pages);
    pages->copy = ck_memory_walk_next(&tasks->walk, &pages->copy_address, &pages->copy_size);
    search_piece(images, tasks);
  } while (pages->copy_size > 0);
  pages->limit = NULL;
  ck_memory_walk_close(&tasks->walk);
  sort(tasks->records, tasks->count);
  drop_doubles(tasks);
  find_kinds(tasks);
  tasks->nanoseconds = cgr_monotonic_ns() - started;
}

// Whether a task stands as it did: what it waits for, and whose memory it uses. Others may count it as theirs or not.
static bool is_unmoved(const ck_task_copy *before, uint64_t object) {
  ck_task_copy now;
  if (!ck_swift_task_copy(object, &now)) return false;
  for (size_t at = TERM_TASK_FLAGS; at < TERM_TASK_SIZE; at += sizeof(uint64_t))
    if (ck_task_word(before->bytes, at) != ck_task_word(now.bytes, at)) return false;
  return true;
}

bool ck_all_tasks_read(const crp_images *images, ck_all_tasks *tasks, const ck_task_record *record,
                       ck_task_facts *facts) {
  ck_task_copy copy;
  if (!ck_swift_task_copy(record->object, &copy) || ck_task_id(copy.bytes) != record->id) return false;
  bool is_running = ck_task_word(copy.bytes, TERM_TASK_STATUS) & TERM_STATUS_RUNNING;
  if (is_running != (record->chain == 0)) return false;
  ck_page_cache_forget(&tasks->pages);
  if (!ck_task_is_live(images, copy.bytes, &tasks->pages)) return false;
  if (record->chain != 0) {
    ck_task_chain_read(images, copy.bytes, &tasks->pages, &tasks->chain);
    if (tasks->chain.hash != record->chain) return false;
  }
  ck_task_facts_read(copy.bytes, facts);
  return is_unmoved(&copy, record->object);
}
