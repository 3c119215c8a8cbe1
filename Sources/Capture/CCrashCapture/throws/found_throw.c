// An error is recognised by its box. A typed error had no box when it was thrown, so its type and value identify it.
// The last throw counts, because a box may be at the address of an earlier box. Reads through cgr_memory_read.

#include "throws/found_throw.h"

#include "CGround/memory.h"
#include "CGround/return_address.h"
#include "stack/fde.h"
#include "throws/throw_hooks.h"
#include "throws/type_name.h"

/// A box: an object's two words, then these, the value at a distance in bytes.
#define BOX_TYPE 2
#define BOX_CONFORMANCE 3
#define BOX_VALUE 32
/// Where a value witness table has the alignment's mask, in the low byte of a word.
#define WITNESS_OF_FLAGS 80
#define ALIGNMENT_MASK 0xffu
/// So many of the innermost frames are looked at, and so much of one.
#define FRAMES_LOOKED_AT 12
#define FRAME_WORDS_MAX 128
/// aarch64: where a function keeps its caller's registers, above its frame record.
#if defined(__aarch64__)
#define SAVED_ABOVE_RECORD 96
#else
#define SAVED_ABOVE_RECORD 0
#endif
#define RUNTIME_FRAMES_MAX 8

typedef struct boxed_error {
  uint64_t box, object, type, conformance;
  uint8_t value[CK_THROW_VALUE];
  size_t value_size;  // that could be read
} boxed_error;

typedef enum match {
  NO_MATCH,
  MATCH_BY_PLACE,  // the box lay here, and was freed by now
  MATCH,
} match;

// What cannot be read is 0: no throw has a type there.
static void read_box(uint64_t box, boxed_error *error) {
  uint64_t head[BOX_VALUE / sizeof(uint64_t)], witnesses = 0;
  uint32_t flags = 0;
  *error = (boxed_error){.box = box};
  if (cgr_memory_read(box, head, sizeof head) < sizeof head) return;
  error->object = head[0];
  error->type = head[BOX_TYPE];
  error->conformance = head[BOX_CONFORMANCE];
  if (cgr_memory_read(error->type - sizeof witnesses, &witnesses, sizeof witnesses) < sizeof witnesses) return;
  if (cgr_memory_read(witnesses + WITNESS_OF_FLAGS, &flags, sizeof flags) < sizeof flags) return;
  uint64_t mask = flags & ALIGNMENT_MASK;
  error->value_size = cgr_memory_read((box + BOX_VALUE + mask) & ~mask, error->value, sizeof error->value);
}

static bool holds_value(const boxed_error *error, const ck_throw *thrown) {
  if (error->value_size < thrown->value_size) return false;
  for (size_t i = 0; i < thrown->value_size; ++i)
    if (error->value[i] != thrown->value[i]) return false;
  return true;
}

static bool is_by(const ck_throw *thrown, const ck_error_holder *holder) {
  return thrown->thread == holder->thread || (holder->task != 0 && thrown->task == holder->task);
}

static match match_of(const ck_throw *thrown, const boxed_error *error, const ck_error_holder *holder) {
  bool is_alike = thrown->type == error->type && thrown->conformance == error->conformance;
  if (thrown->box == 0) return is_alike && is_by(thrown, holder) && holds_value(error, thrown) ? MATCH : NO_MATCH;
  if (thrown->box != error->box) return NO_MATCH;
  return is_alike && thrown->object == error->object ? MATCH : MATCH_BY_PLACE;
}

static match find_last(const boxed_error *error, const ck_error_holder *holder, ck_throw *last) {
  ck_throw thrown;
  match found = NO_MATCH;
  for (size_t ring = 0; ring < CK_THROW_RINGS; ++ring) {
    for (size_t place = 0; place < CK_THROWS_KEPT; ++place) {
      if (!ck_throw_may_be_of(ring, place, error->box, error->type)) continue;
      if (!ck_throw_read(ring, place, &thrown)) continue;
      match matches = match_of(&thrown, error, holder);
      if (matches == NO_MATCH || (found != NO_MATCH && thrown.time <= last->time)) continue;
      *last = thrown;
      found = matches;
    }
  }
  return found;
}

static uint64_t function_at(const crp_images *images, uint64_t return_address) {
  const crp_image *image = crp_image_at(images, return_address - 1);
  return image ? ck_fde_function_start(image, return_address - 1) : 0;
}

// --- An error that was thrown again ----------------------------------------------------------------------------

static bool is_called_by(const crp_images *images, const ck_throw *thrown, uint64_t function) {
  for (size_t i = 1; function != 0 && i < thrown->frame_count; ++i)
    if (function_at(images, thrown->frames[i]) == function) return true;
  return false;
}

// A catcher throws again what was thrown in a call of its own, so further out on the same stack. An error of the same
// type that happens to lie in the place of an earlier one comes from no such catcher.
static bool threw_first(const crp_images *images, const ck_throw *earlier, const ck_throw *later) {
  return earlier->type == later->type && earlier->thread == later->thread && earlier->task == later->task
         && earlier->time < later->time && earlier->sp < later->sp
         && is_called_by(images, earlier, function_at(images, later->frames[0]));
}

static bool find_earlier(const crp_images *images, const boxed_error *error, const ck_error_holder *holder,
                         ck_throw *thrown) {
  ck_throw earlier, best = {0};
  bool found = false;
  for (size_t ring = 0; ring < CK_THROW_RINGS; ++ring) {
    for (size_t place = 0; place < CK_THROWS_KEPT; ++place) {
      if (!ck_throw_may_be_of(ring, place, error->box, error->type)) continue;
      if (!ck_throw_read(ring, place, &earlier) || match_of(&earlier, error, holder) == NO_MATCH) continue;
      if (found && earlier.time <= best.time) continue;
      ck_throw_drop_runtime(images, &earlier);
      if (!threw_first(images, &earlier, thrown)) continue;
      best = earlier;
      found = true;
    }
  }
  if (found) *thrown = best;
  return found;
}

static match find(const crp_images *images, uint64_t box, const ck_error_holder *holder, ck_throw *thrown) {
  boxed_error error;
  if (box == 0 || box % sizeof box != 0) return NO_MATCH;
  read_box(box, &error);
  match found = find_last(&error, holder, thrown);
  if (found == NO_MATCH) return NO_MATCH;
  ck_throw_drop_runtime(images, thrown);
  for (size_t i = 0; i < CK_THROWS_KEPT && find_earlier(images, &error, holder, thrown);) ++i;
  return found;
}

ck_throw_known ck_throw_of_error(const crp_images *images, uint64_t box, const ck_error_holder *holder,
                                 ck_throw *thrown) {
  if (!ck_throws_are_kept() || find(images, box, holder, thrown) != MATCH) return CK_THROW_UNKNOWN;
  return thrown->box != 0 ? CK_THROW_OF_ERROR : CK_THROW_OF_VALUE;
}

// --- The error of a crash --------------------------------------------------------------------------------------

typedef struct frame_words {
  uint64_t start, end;
} frame_words;

// The runtime's function gives the error's address to one that describes it, so that it stands in its frame. Then the
// function frees the error, and the memory may hold another thing: an error that is still there goes before the place
// of one, and a later throw before an earlier one.
static bool find_in_frame(const crp_images *images, const frame_words *frame, const ck_error_holder *holder,
                          ck_throw *thrown) {
  uint64_t words[FRAME_WORDS_MAX];
  ck_throw candidate;
  match found = NO_MATCH;
  uint64_t size = frame->end - frame->start < sizeof words ? frame->end - frame->start : sizeof words;
  size_t count = cgr_memory_read(frame->end - size, words, size) / sizeof *words;
  for (size_t i = 0; i < count; ++i) {
    match matches = find(images, words[i], holder, &candidate);
    if (matches < found || matches == NO_MATCH || (matches == found && candidate.time <= thrown->time)) continue;
    *thrown = candidate;
    found = matches;
  }
  return found != NO_MATCH;
}

static bool says(const cgr_text *message, const char *word, size_t size) {
  for (size_t i = 0; size > 0 && i + size <= message->size; ++i) {
    size_t same = 0;
    while (same < size && message->bytes[i + same] == word[same]) ++same;
    if (same == size) return true;
  }
  return false;
}

static bool find_last_of(const ck_error_holder *holder, ck_throw *last) {
  ck_throw thrown;
  bool found = false;
  for (size_t ring = 0; ring < CK_THROW_RINGS; ++ring) {
    for (size_t place = 0; place < CK_THROWS_KEPT; ++place) {
      if (!ck_throw_read(ring, place, &thrown) || !is_by(&thrown, holder)) continue;
      if (found && thrown.time <= last->time) continue;
      *last = thrown;
      found = true;
    }
  }
  return found;
}

static bool is_named(const ck_throw *thrown, const cgr_text *message) {
  char bytes[256];
  cgr_text name = CGR_TEXT(bytes);
  if (thrown->box == 0) ck_type_name_write(thrown->type, &name);
  return says(message, name.bytes, name.size);
}

// The box of a typed throw was made for the crash, and may be gone: then the message has the type.
static ck_throw_known find_of_crash(const crp_images *images, const frame_words *frame, const cgr_text *message,
                                    const ck_error_holder *holder, ck_throw *thrown) {
  ck_throw last;
  bool has_last = find_last_of(holder, &last);
  if (find_in_frame(images, frame, holder, thrown)) {
    bool is_last = has_last && last.time == thrown->time && last.thread == thrown->thread;
    return thrown->box != 0 || is_last ? CK_THROW_OF_ERROR : CK_THROW_OF_VALUE;
  }
  if (!has_last || !is_named(&last, message)) return CK_THROW_UNKNOWN;
  *thrown = last;
  return CK_THROW_OF_TYPE;
}

ck_throw_known ck_throw_of_crash(const crp_images *images, const ck_error_crash *crash, const ck_error_holder *holder,
                                 ck_throw *thrown) {
  if (!ck_throws_are_kept()) return CK_THROW_UNKNOWN;
  const ck_error_functions *functions = &ck_error_functions_found;
  uint64_t record = crash->registers->values[CK_REGISTER_FP], words[2];
  for (int i = 0; i < FRAMES_LOOKED_AT; ++i) {
    if (cgr_memory_read(record, words, sizeof words) < sizeof words || words[0] <= record) return CK_THROW_UNKNOWN;
    uint64_t function = function_at(images, cgr_without_signature(words[1])), start = record + sizeof words;
    record = words[0];
    if (function == 0 || (function != functions->unexpected_error && function != functions->error_in_main)) continue;
    frame_words frame = {.start = start, .end = record + SAVED_ABOVE_RECORD};
    return find_of_crash(images, &frame, crash->message, holder, thrown);
  }
  return CK_THROW_UNKNOWN;
}

// --- Frames ----------------------------------------------------------------------------------------------------

void ck_throw_drop_runtime(const crp_images *images, ck_throw *thrown) {
  size_t own = 0;
  for (size_t i = 0; i < thrown->frame_count && i < RUNTIME_FRAMES_MAX; ++i) {
    if (ck_announces_throws(function_at(images, thrown->frames[i]))) own = i + 1;
  }
  if (own == 0 || own >= thrown->frame_count) return;
  thrown->frame_count -= (uint8_t)own;
  for (size_t i = 0; i < thrown->frame_count; ++i) thrown->frames[i] = thrown->frames[i + own];
}

// Part of an async function that calls on with arguments on the stack, for example.
void ck_throw_drop_strays(const crp_images *images, ck_throw *thrown) {
  size_t kept = 0;
  bool is_stray = false;
  for (size_t i = 0; i < thrown->frame_count; ++i) {
    if (!is_stray) thrown->frames[kept++] = thrown->frames[i];
    uint64_t pc = thrown->frames[i] - 1;
    const crp_image *image = is_stray ? NULL : crp_image_at(images, pc);
    is_stray = image && ck_fde_frame_is_apart(image, pc);
  }
  thrown->frame_count = (uint8_t)kept;
}
