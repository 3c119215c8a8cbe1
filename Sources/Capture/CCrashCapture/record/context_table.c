// The contexts that are open, and those that were. Plain memory only: async-signal-safe.

#include "record/context_table.h"

#include "CSecrets.h"
#include "CGround/memory.h"

typedef struct slot {
  _Atomic uint32_t number;  // of the context that is open, or was open last; 0 for none
  uint16_t name_length;
  char name[CK_CONTEXT_NAME_MAX];
  ck_crumb_attributes attributes;
  bool has_trace;
  ck_trace trace;
} slot;

#define WORDS (CK_CONTEXTS_MAX / 64)

static slot slots[CK_CONTEXTS_MAX];
static _Atomic uint64_t taken[WORDS];  // a bit for each slot
static _Atomic uint32_t opened;
static _Atomic uint32_t next_word;  // where the search begins
static _Atomic uint64_t without_room;
static _Thread_local uint32_t of_thread __attribute__((tls_model("initial-exec")));

_Atomic uint64_t ck_context_key;

static uint32_t take(void) {
  uint32_t start = atomic_load_explicit(&next_word, memory_order_relaxed);
  for (uint32_t i = 0; i < WORDS; ++i) {
    uint32_t word = (start + i) % WORDS;
    uint64_t bits = atomic_load_explicit(&taken[word], memory_order_relaxed);
    while (~bits != 0) {
      uint32_t bit = (uint32_t)__builtin_ctzll(~bits);
      if (!atomic_compare_exchange_weak_explicit(&taken[word], &bits, bits | 1ull << bit, memory_order_acquire,
                                                 memory_order_relaxed))
        continue;
      if (i > 0) atomic_store_explicit(&next_word, word, memory_order_relaxed);
      return word * 64 + bit;
    }
  }
  return CK_CONTEXTS_MAX;
}

// A number says which slot, and how many contexts had been opened before: a slot's next context has another one.
static uint32_t number_of(uint32_t index) {
  uint32_t before = atomic_fetch_add_explicit(&opened, 1, memory_order_relaxed);
  uint32_t number = before * CK_CONTEXTS_MAX + index;
  return number ? number : CK_CONTEXTS_MAX;
}

static uint32_t index_of(uint32_t number) { return number % CK_CONTEXTS_MAX; }

uint32_t ck_context_open(const char *name, size_t name_length, const ck_crumb_attributes *attributes,
                         const ck_trace *trace) {
  uint32_t index = take();
  if (index == CK_CONTEXTS_MAX) {
    atomic_fetch_add_explicit(&without_room, 1, memory_order_relaxed);
    return 0;
  }
  slot *slot = &slots[index];
  // What a reader copies of the old context it takes for torn, since the number has changed before the first byte.
  atomic_store_explicit(&slot->number, 0, memory_order_relaxed);
  atomic_thread_fence(memory_order_release);
  slot->name_length = (uint16_t)csec_copy_without_secrets(slot->name, name, name_length, CK_CONTEXT_NAME_MAX);
  slot->attributes.count = attributes->count;
  slot->attributes.length = attributes->length;
  slot->attributes.omitted = attributes->omitted;
  cgr_copy(slot->attributes.bytes, attributes->bytes, attributes->length);
  slot->has_trace = trace != NULL;
  if (trace) cgr_copy(&slot->trace, trace, sizeof *trace);
  uint32_t number = number_of(index);
  atomic_store_explicit(&slot->number, number, memory_order_release);
  return number;
}

void ck_context_close(uint32_t number) {
  if (number == 0) {
    atomic_fetch_sub_explicit(&without_room, 1, memory_order_relaxed);
    return;
  }
  // An error that was thrown inside has the number still, and may end the program outside.
  uint32_t index = index_of(number);
  atomic_fetch_and_explicit(&taken[index / 64], ~(1ull << index % 64), memory_order_release);
}

uint32_t ck_context_enter_thread(uint32_t number) {
  uint32_t before = of_thread;
  of_thread = number;
  return before;
}

void ck_context_set_key(const void *key) {
  atomic_store_explicit(&ck_context_key, (uintptr_t)key, memory_order_release);
}

// The variable is as far from the thread pointer in each thread.
uint32_t ck_context_of_thread(uintptr_t thread_pointer) {
  uintptr_t distance = (uintptr_t)&of_thread - (uintptr_t)__builtin_thread_pointer();
  uint32_t number = 0;
  return cgr_memory_read(thread_pointer + distance, &number, sizeof number) == sizeof number ? number : 0;
}

bool ck_contexts_overflow(void) { return atomic_load_explicit(&without_room, memory_order_relaxed) > 0; }

bool ck_context_read(uint64_t number, ck_context *context) {
  if (number == 0 || number > UINT32_MAX) return false;
  slot *slot = &slots[index_of((uint32_t)number)];
  if (atomic_load_explicit(&slot->number, memory_order_acquire) != number) return false;
  context->name_length = slot->name_length <= CK_CONTEXT_NAME_MAX ? slot->name_length : CK_CONTEXT_NAME_MAX;
  cgr_copy(context->name, slot->name, context->name_length);
  uint16_t length = slot->attributes.length;
  context->attributes.count = slot->attributes.count;
  context->attributes.omitted = slot->attributes.omitted;
  context->attributes.length = length <= sizeof slot->attributes.bytes ? length : sizeof slot->attributes.bytes;
  cgr_copy(context->attributes.bytes, slot->attributes.bytes, context->attributes.length);
  context->has_trace = slot->has_trace;
  cgr_copy(&context->trace, &slot->trace, sizeof context->trace);
  // The task may have left the context meanwhile, and another may have opened one in its slot.
  atomic_thread_fence(memory_order_acquire);
  return atomic_load_explicit(&slot->number, memory_order_relaxed) == number;
}
