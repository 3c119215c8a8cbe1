// Swift's async functions and their contexts. Reads the images' code, and contexts by reads that cannot fault.
//
// Finds Swift's async functions by the first instructions that only they have: the frame pointer and the context are
// pushed, and the frame pointer is set above the context (swift 6.3; on Linux the saved frame pointer is not marked).

#include "stack/swift_async.h"

#include <dlfcn.h>

#include "CGround/look_up.h"
#include "stack/fde.h"
#include "swift_task_search.h"
#include "CGround/memory.h"
#include "processor/page_cache.h"
#include "processor/registers.h"

#if defined(CK_SWIFT_ASYNC_PROLOGUE)

static bool starts_as_async(const crp_image *image, uint64_t start) {
  static const uint8_t prologue[] = CK_SWIFT_ASYNC_PROLOGUE;
  if (start < image->text_segment_start || start + sizeof prologue > image->text_segment_end) return false;
  const uint8_t *code = (const uint8_t *)(uintptr_t)start;
  for (size_t i = 0; i < sizeof prologue; ++i)
    if (code[i] != prologue[i]) return false;
  return true;
}

uint64_t ck_swift_async_function_start(const crp_images *images, uint64_t pc) {
  // The same few functions are on many stacks.
  static struct {
    uint64_t pc;
    uint64_t start;
  } known[256];
  size_t slot = (pc * 0x9e3779b97f4a7c15u) >> 56;
  if (known[slot].pc == pc) return known[slot].start;
  const crp_image *image = crp_image_at(images, pc);
  uint64_t start = ck_fde_function_start(image, pc);
  known[slot].start = start != 0 && starts_as_async(image, start) ? start : 0;
  known[slot].pc = pc;
  return known[slot].start;
}

#else

uint64_t ck_swift_async_function_start(const crp_images *images, uint64_t pc) {
  (void)images;
  (void)pc;
  return 0;
}

#endif

// A context starts with its parent and the function to resume there (swift, include/swift/ABI/Task.h, AsyncContext).
bool ck_next_continuation(const crp_images *images, ck_continuations *at, uint64_t *resume_address) {
  uint64_t words[2];
  if (at->context == 0 || at->context % 8 != 0 || at->seen == TERM_TASK_CONTEXTS_MAX) return false;
  size_t got = at->pages ? ck_page_cache_read(at->pages, at->context, words, sizeof words)
                         : cgr_memory_read(at->context, words, sizeof words);
  if (got < sizeof words) return false;
  const crp_image *image = crp_image_at(images, words[1]);
  if (!image || words[1] >= image->end_of_text) return false;
  *resume_address = words[1];
  // The mark moves on at each power of two, so that a loop of any length comes back to it (Brent).
  if ((at->seen & (at->seen + 1)) == 0) at->mark = at->context;
  ++at->seen;
  // No context is at 1: the chain ends here, and not as it should.
  at->context = words[0] == at->mark ? 1 : words[0];
  return true;
}

// --- Functions without a frame -------------------------------------------------------------------------------

// Weak, for programs that hold the Swift runtime inside and export nothing.
extern void swift_job_run(void) __attribute__((weak));

// What swift_job_run calls: the function that calls into tasks is among them, and no symbol names it.
#define CALLED_MAX 8
#define CODE_MAX 1024
static uint64_t called[CALLED_MAX];
static size_t called_count;
static uint64_t job_function;

uint64_t ck_swift_job_function(void) { return job_function; }

void ck_swift_async_prepare(const crp_images *images) {
  uint64_t run = (uintptr_t)swift_job_run;
  if (run == 0) run = (uintptr_t)cgr_look_up(RTLD_DEFAULT, "swift_job_run");
  job_function = run;
  const crp_image *image = run ? crp_image_at(images, run) : NULL;
  if (!image || ck_fde_function_start(image, run) != run) return;
  for (uint64_t at = run; at < run + CODE_MAX && at + 8 <= image->text_segment_end && called_count < CALLED_MAX;
       at += CK_CODE_ALIGNMENT) {
    if (ck_fde_function_start(image, at) != run) return;
    uint64_t target = ck_direct_call_target(at);
    if (target < image->text_segment_start || target >= image->text_segment_end) continue;
    if (ck_fde_function_start(image, target) == target) called[called_count++] = target;
  }
}

bool ck_swift_calls_tasks(const crp_images *images, uint64_t pc) {
  for (size_t i = 0; i < called_count; ++i)
    if (pc - called[i] < CODE_MAX && ck_fde_function_start(crp_image_at(images, pc), pc) == called[i]) return true;
  return false;
}

// The outermost context has no parent, and goes on in the runtime.
uint64_t ck_checked_async_context(const crp_images *images, uint64_t context) {
  ck_continuations walk = {.context = context};
  uint64_t last = 0;
  while (ck_next_continuation(images, &walk, &last)) {
  }
  bool whole = walk.context == 0 && walk.seen > 0 && crp_image_at(images, last) == crp_image_at(images, called[0]);
  return whole || walk.seen == TERM_TASK_CONTEXTS_MAX ? context : 0;
}
