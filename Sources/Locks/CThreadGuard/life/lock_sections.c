// Sections of a crash report. A signal handler calls everything except the start, while other threads are stopped at
// any point. So walks have limits, and memory that the program may have overwritten is read by calls that cannot fault.

#include "life/lock_sections.h"

#include "CRendezvous/rendezvous.h"
#include "ground/state.h"
#include "locks/held.h"
#include "locks/records.h"
#include "CGround/memory.h"
#include "CGround/own_threads.h"

#define WALK_MAX 1000
#define NAME_MAX_READ 256

// CrashKit's, by name: a program may have ThreadGuard without it. The header's own declaration could not be weak.
extern int add_provider(const crv_section_provider *provider) __asm__(RENDEZVOUS_ADD_SECTION_PROVIDER)
    __attribute__((weak));

static bool read_at(const void *from, void *to, size_t size) {
  return cgr_memory_read((uintptr_t)from, to, size) == size;
}

// A record's chain may be about to change.
static size_t read_name(uintptr_t address, char name[NAME_MAX_READ]) {
  uint32_t number = ctg_record_find_bounded(address, WALK_MAX);
  struct ctg_record record;
  if (!number || !read_at(ctg_record_at(number), &record, sizeof record)) return 0;
  if (record.class_record && !read_at(ctg_record_at(record.class_record), &record, sizeof record)) return 0;
  size_t read = record.name ? cgr_memory_read((uintptr_t)record.name, name, NAME_MAX_READ) : 0, size = 0;
  while (size < read && name[size]) ++size;
  return size;
}

static void write_text(const crv_json *json, const char *key, const char *text) {
  json->string(json->context, key, text, cgr_length(text));
}

static void write_lock(const crv_json *json, const char *key, const struct ctg_held *held, const char *place) {
  static const char *const types[] = {"mutex", "recursiveMutex", "rwlock",      "spinlock", "semaphore",
                                      "group", "queue",          "guardedLock", "thread",   "swiftMutex"};
  char name[NAME_MAX_READ];
  size_t size = read_name(held->address, name);
  json->begin_object(json->context, key);
  json->address(json->context, "address", held->address);
  if (held->type < sizeof types / sizeof *types) write_text(json, "type", types[held->type]);
  write_text(json, "mode", held->flags & CTG_TAKEN_SHARED ? "shared" : "exclusive");
  if (size > 0) json->string(json->context, "name", name, size);
  uintptr_t callers[] = {held->caller, held->second_caller};
  if (callers[0]) json->begin_array(json->context, place);
  for (int i = 0; callers[0] && i < 2 && callers[i]; ++i) {
    json->begin_object(json->context, NULL);
    write_text(json, "kind", "returnAddress");
    json->address(json->context, "address", callers[i]);
    json->end(json->context);
  }
  if (callers[0]) json->end(json->context);
  json->end(json->context);
}

static const struct ctg_thread_state *state_of(int tid) {
  const struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i)
    if (atomic_load(&state->is_live) && state->id == tid) return state;
  return NULL;
}

static void write_thread(const crv_json *json, int tid) {
  if (cgr_is_own_thread(CGR_OF_THREADGUARD, tid)) write_text(json, "belongsTo", "ThreadGuard");
  const struct ctg_thread_state *state = ctg_has_started ? state_of(tid) : NULL;
  struct ctg_held held;
  uint32_t depth = 0, waits = 0;
  if (!state || !read_at(&state->depth, &depth, sizeof depth)) return;
  if (depth > CTG_HELD_MAX) depth = CTG_HELD_MAX;
  if (depth) json->begin_array(json->context, "heldLocks");
  for (uint32_t i = 0; i < depth; ++i)
    if (read_at(&state->held[i], &held, sizeof held)) write_lock(json, NULL, &held, "takenAt");
  if (depth) json->end(json->context);
  bool is_waiting = read_at((const void *)&state->waits, &waits, sizeof waits) && waits & 1;
  if (is_waiting && read_at(&state->wanted, &held, sizeof held)) write_lock(json, "waitingFor", &held, "waitsAt");
}

void ctg_lock_sections_add(int (*add)(const crv_section_provider *provider)) {
  static const crv_section_provider provider = {.thread = write_thread};
  add(&provider);
}

void ctg_lock_sections_prepare(void) {
  cgr_memory_prepare();
  if (add_provider) ctg_lock_sections_add(add_provider);
}
