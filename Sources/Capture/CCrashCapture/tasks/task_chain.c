// The resume function, then the contexts outwards. Reads that cannot fault.

#include "tasks/task_chain.h"

#include "CGround/hash.h"
#include "stack/swift_async.h"

static void add(ck_task_chain *chain, uint64_t address) {
  chain->hash = cgr_hash_add(chain->hash, address);
  if (chain->count < TERM_TASK_FRAMES_MAX)
    chain->addresses[chain->count++] = address;
  else
    ++chain->omitted;
}

void ck_task_chain_read(const crp_images *images, const uint8_t *task, ck_page_cache *pages, ck_task_chain *chain) {
  chain->count = chain->omitted = 0;
  chain->hash = CGR_HASH_EMPTY;
  uint64_t first = ck_task_word(task, TERM_TASK_RESUME), address;
  add(chain, first);
  ck_continuations walk = {.context = ck_task_word(task, TERM_TASK_CONTEXT), .pages = pages};
  // A continuation's context begins with the function that the task resumes at.
  while (ck_next_continuation(images, &walk, &address))
    if (walk.seen > 1 || address != first) add(chain, address);
  chain->is_whole = walk.context == 0;
}
