// The locks that a thread holds, in words for a label. System calls and plain memory.

#include "locks/held_words.h"

#include "ground/engine_lock.h"
#include "ground/state.h"
#include "locks/descriptions.h"
#include "CGround/text.h"

#define SHOWN 4

static void add_lock(cgr_text *text, const struct ctg_held *held) {
  static const char *const types[] = {[CTG_MUTEX] = "mutex",         [CTG_RECURSIVE_MUTEX] = "recursive mutex",
                                      [CTG_RWLOCK] = "rwlock",       [CTG_SPINLOCK] = "spinlock",
                                      [CTG_SEMAPHORE] = "semaphore", [CTG_GROUP] = "group",
                                      [CTG_QUEUE] = "queue",         [CTG_GUARDED_LOCK] = "guarded lock",
                                      [CTG_THREAD] = "thread"};
  const char *name = ctg_lock_described(held).name;
  if (!name) cgr_text_string(text, "a ");
  if (held->flags & CTG_TAKEN_SHARED) cgr_text_string(text, "shared ");
  cgr_text_string(text, types[held->type]);
  if (!name) return;
  cgr_text_string(text, " \"");
  cgr_text_string(text, name);
  cgr_text_string(text, "\"");
}

void ctg_held_in_words(char *words, size_t capacity) {
  cgr_text text = {.bytes = words, .capacity = capacity};
  const struct ctg_thread_state *self = ctg_self();
  unsigned count = 0;
  if (self) {
    ctg_busy++;
    ctg_engine_lock();
    for (uint32_t i = 0; i < self->depth && count < SHOWN; ++i) {
      if (!ctg_has_still(&self->held[i])) continue;
      if (count++) cgr_text_string(&text, ", ");
      add_lock(&text, &self->held[i]);
    }
    ctg_engine_unlock();
    ctg_busy--;
    if (count == 0) cgr_text_string(&text, self->lost ? "" : "no lock");
  }
  cgr_text_terminated(&text);
}
