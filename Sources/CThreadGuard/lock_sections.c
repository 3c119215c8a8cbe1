// Sections of a crash report. All but the start is called in a signal handler, while other threads are stopped wherever
// they were: plain memory only, which stays mapped, and bounded walks.

#include "lock_sections.h"

#include <string.h>

#include "held.h"
#include "records.h"
#include "report_sections.h"

#define WALK_MAX 1000

// CrashKit's, by name: a program may have ThreadGuard without it. The header's own declaration could not be weak.
extern int add_provider(const cph_section_provider *provider) __asm__("cph_add_section_provider") __attribute__((weak));

// A record's chain may be about to change.
static const char *name_of(uintptr_t address) {
  uint32_t number = ctg_record_find_bounded(address, WALK_MAX);
  if (!number) return NULL;
  const struct ctg_record *record = ctg_record_at(number);
  return record->class_record ? ctg_record_at(record->class_record)->name : record->name;
}

static void write_lock(const cph_json *json, const char *key, uintptr_t address, unsigned type, bool is_shared) {
  static const char *const types[] = {"mutex", "recursiveMutex", "rwlock", "spinlock",
                                      "semaphore", "group", "queue", "guardedLock", "thread"};
  const char *name = name_of(address), *mode = is_shared ? "shared" : "exclusive";
  json->begin_object(json->context, key);
  json->address(json->context, "address", address);
  if (type < sizeof types / sizeof *types) json->string(json->context, "type", types[type], strlen(types[type]));
  json->string(json->context, "mode", mode, strlen(mode));
  if (name) json->string(json->context, "name", name, strlen(name));
  json->end(json->context);
}

static const struct ctg_thread_state *state_of(int tid) {
  const struct ctg_thread_state *state;
  for (uint32_t i = 0; (state = ctg_thread_at(i)); ++i)
    if (state->id == tid && atomic_load(&state->is_live)) return state;
  return NULL;
}

static void write_thread(const cph_json *json, int tid) {
  const struct ctg_thread_state *state = state_of(tid);
  if (!state) return;
  uint32_t depth = state->depth < CTG_HELD_MAX ? state->depth : CTG_HELD_MAX;
  if (depth) {
    json->begin_array(json->context, "heldLocks");
    for (uint32_t i = 0; i < depth; ++i)
      write_lock(json, NULL, state->held[i].address, state->held[i].type, state->held[i].flags & CTG_TAKEN_SHARED);
    json->end(json->context);
  }
  if (atomic_load(&state->waits) & 1)
    write_lock(json, "waitingFor", state->wanted.address, state->wanted.type, state->wanted.flags & CTG_TAKEN_SHARED);
}

void ctg_lock_sections_prepare(void) {
  static const cph_section_provider provider = {.thread = write_thread};
  if (add_provider) add_provider(&provider);
}
