// Tells Swift's async functions by the first instructions that only they have: the frame pointer and the context are
// pushed, and the frame pointer is set above the context (swift 6.3; on Linux the saved frame pointer is not marked).

#include "swift_async.h"

#include "fde.h"
#include "memory.h"
#include "registers.h"

#if defined(CK_SWIFT_ASYNC_PROLOGUE)

static bool starts_as_async(const ck_image *image, uint64_t start) {
  static const uint8_t prologue[] = CK_SWIFT_ASYNC_PROLOGUE;
  if (start < image->text_segment_start || start + sizeof prologue > image->text_segment_end) return false;
  const uint8_t *code = (const uint8_t *)(uintptr_t)start;
  for (size_t i = 0; i < sizeof prologue; ++i)
    if (code[i] != prologue[i]) return false;
  return true;
}

uint64_t ck_swift_async_function_start(const ck_images *images, uint64_t pc) {
  // The same few functions are on many stacks.
  static struct {
    uint64_t pc;
    uint64_t start;
  } known[256];
  size_t slot = (pc * 0x9e3779b97f4a7c15u) >> 56;
  if (known[slot].pc == pc) return known[slot].start;
  const ck_image *image = ck_image_at(images, pc);
  uint64_t start = ck_fde_function_start(image, pc);
  known[slot].start = start != 0 && starts_as_async(image, start) ? start : 0;
  known[slot].pc = pc;
  return known[slot].start;
}

#else

uint64_t ck_swift_async_function_start(const ck_images *images, uint64_t pc) {
  (void)images;
  (void)pc;
  return 0;
}

#endif

// A context starts with its parent and the function to resume there (swift, include/swift/ABI/Task.h, AsyncContext).
bool ck_next_continuation(const ck_images *images, ck_continuations *at, uint64_t *resume_address) {
  uint64_t words[2];
  if (at->context == 0 || at->context % 8 != 0 || at->seen == CK_CONTINUATIONS_MAX
      || ck_memory_read(at->context, words, sizeof words) < sizeof words)
    return false;
  const ck_image *image = ck_image_at(images, words[1]);
  if (!image || words[1] >= image->end_of_text) return false;
  *resume_address = words[1];
  // The mark moves on at each power of two, so that a loop of any length comes back to it (Brent).
  if ((at->seen & (at->seen + 1)) == 0) at->mark = at->context;
  ++at->seen;
  at->context = words[0] == at->mark ? 0 : words[0];
  return true;
}
