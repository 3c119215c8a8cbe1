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

bool ck_is_swift_async_function(const ck_images *images, uint64_t pc) {
  // The same few functions are on many stacks.
  static struct {
    uint64_t pc;
    bool async;
  } known[256];
  size_t slot = (pc * 0x9e3779b97f4a7c15u) >> 56;
  if (known[slot].pc == pc) return known[slot].async;
  const ck_image *image = ck_image_at(images, pc);
  uint64_t start = ck_fde_function_start(image, pc);
  known[slot].async = start != 0 && starts_as_async(image, start);
  known[slot].pc = pc;
  return known[slot].async;
}

#else

bool ck_is_swift_async_function(const ck_images *images, uint64_t pc) {
  (void)images;
  (void)pc;
  return false;
}

#endif
