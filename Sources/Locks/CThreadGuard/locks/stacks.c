// Unwinding by libgcc, which finds call-frame information by _dl_find_object (glibc 2.35, gcc 12) and so without a
// lock.

#include "locks/stacks.h"

#include <dlfcn.h>
#include <string.h>
#include <unwind.h>

#include "CGround/look_up.h"
#include "ground/pool.h"

static typeof(_Unwind_Backtrace) *backtrace_all;
static typeof(_Unwind_GetIPInfo) *get_address;
static typeof(_Unwind_GetCFA) *get_stack_pointer;
static int (*find_object)(void *, void *);

struct walking {
  struct ctg_walk *walk;
  uintptr_t first;  // the address to begin with
  size_t passed;
};

static _Unwind_Reason_Code on_frame(struct _Unwind_Context *context, void *argument) {
  struct walking *walking = argument;
  struct ctg_walk *walk = walking->walk;
  int is_instruction = 0;
  uintptr_t address = get_address(context, &is_instruction);
  if (address == 0) return _URC_END_OF_STACK;
  if (walk->count == 0 && address != walking->first && ++walking->passed < CTG_STACK_MAX) return _URC_NO_REASON;
  if (walk->count == CTG_STACK_MAX) return _URC_END_OF_STACK;
  walk->addresses[walk->count] = is_instruction ? ctg_entry_of_instruction(address) : address;
  walk->stack_pointers[walk->count++] = get_stack_pointer(context);
  return _URC_NO_REASON;
}

void ctg_stacks_prepare(void) {
  void *library = cgr_open_library("libgcc_s.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) return;
  get_address = (typeof(get_address))cgr_look_up(library, "_Unwind_GetIPInfo");
  get_stack_pointer = (typeof(get_stack_pointer))cgr_look_up(library, "_Unwind_GetCFA");
  find_object = (typeof(find_object))cgr_look_up(RTLD_DEFAULT, "_dl_find_object");
  typeof(backtrace_all) all = (typeof(all))cgr_look_up(library, "_Unwind_Backtrace");
  if (!get_address || !get_stack_pointer || !all) return;
  backtrace_all = all;
  // What it does the first time only is done now.
  struct ctg_walk walk;
  ctg_walk_from(&(struct ctg_held){0}, &walk);
}

// Whether the stack is as it was: from the same place on, each return address is where it was found. Compares what lies
// just below each frame, which is its return address where calls push it; elsewhere the answer is no.
static bool is_as_before(const struct ctg_held *taken, const struct ctg_walk *last) {
  if (last->count < 2 || last->addresses[0] != taken->caller || last->stack_pointers[0] != taken->stack_pointer)
    return false;
  for (size_t i = 0; i < last->count; ++i)
    if (((const uintptr_t *)last->stack_pointers[i])[-1] != last->addresses[i]) return false;
  return true;
}

static void walk_all(const struct ctg_held *taken, struct ctg_walk *walk);

static void copy(struct ctg_walk *into, const struct ctg_walk *from) {
  into->count = from->count;
  memcpy(into->addresses, from->addresses, from->count * sizeof from->addresses[0]);
  memcpy(into->stack_pointers, from->stack_pointers, from->count * sizeof from->stack_pointers[0]);
}

// Frames of another stack may be gone by the time that they would be compared.
static bool is_one_stack(const struct ctg_walk *walk) {
  for (size_t i = 1; i < walk->count; ++i)
    if (walk->stack_pointers[i] <= walk->stack_pointers[i - 1]) return false;
  return true;
}

void ctg_walk_from(const struct ctg_held *taken, struct ctg_walk *walk) {
  struct ctg_thread_state *self = ctg_thread_self;
  if (!self) return walk_all(taken, walk);
  struct ctg_walk *last = &self->walks[(taken->caller * 0x9e3779b97f4a7c15u >> 32) % CTG_WALKS];
  if (is_as_before(taken, last)) return copy(walk, last);
  walk_all(taken, walk);
  if (is_one_stack(walk))
    copy(last, walk);
  else
    last->count = 0;
}

static void walk_all(const struct ctg_held *taken, struct ctg_walk *walk) {
  walk->count = 0;
  struct walking walking = {.walk = walk, .first = taken->caller};
  if (backtrace_all) backtrace_all(on_frame, &walking);
  if (walk->count && walk->addresses[0] == taken->caller) return;
  // Unwinding did not get there.
  walk->count = taken->caller != 0;
  walk->addresses[0] = taken->caller;
  walk->stack_pointers[0] = taken->stack_pointer;
  if (!taken->second_caller) return;
  walk->addresses[1] = taken->second_caller;
  walk->stack_pointers[walk->count++] = taken->frame_pointer + 2 * sizeof(uintptr_t);
}

static bool is_code(uintptr_t address) {
  // As in <dlfcn.h> of glibc 2.35; larger than what is written.
  uintptr_t object[32];
  return address && find_object && find_object((void *)address, object) == 0;
}

static uintptr_t stack_pointer_of(const struct ctg_held *held) {
  return held->stack_pointer & ~(uintptr_t)CTG_IS_SAMPLED;
}

static size_t frame_at(const struct ctg_walk *walk, uintptr_t stack_pointer) {
  size_t i = 0;
  while (i < walk->count && walk->stack_pointers[i] != stack_pointer) ++i;
  return i;
}

static size_t copy_above(const struct ctg_walk *walk, uintptr_t stack_pointer, uintptr_t *addresses, size_t count) {
  for (size_t i = 0; i < walk->count && count < CTG_STACK_MAX; ++i)
    if (walk->stack_pointers[i] > stack_pointer) addresses[count++] = walk->addresses[i];
  return count;
}

// A function that was active as a lock was taken: where it goes on, and its stack pointer there.
struct noted {
  uintptr_t address, stack_pointer;
};

static size_t noted_callers(const struct ctg_held *held, struct noted noted[CTG_NOTED_CALLERS]) {
  size_t count = 0;
  if (held->caller) noted[count++] = (struct noted){held->caller, stack_pointer_of(held)};
  if (!held->caller || !held->second_caller) return count;
  noted[count++] = (struct noted){held->second_caller, held->frame_pointer + 2 * sizeof(uintptr_t)};
  for (size_t i = 0; i < held->outer_count; ++i)
    noted[count++] = (struct noted){held->outer_callers[i], stack_pointer_of(held) + held->outer_frames[i]};
  return count;
}

size_t ctg_stack_as_noted(const struct ctg_held *held, uintptr_t addresses[CTG_NOTED_CALLERS]) {
  struct noted noted[CTG_NOTED_CALLERS];
  size_t count = noted_callers(held, noted), kept = 0;
  while (kept < count && (kept < 2 || is_code(noted[kept].address))) {
    addresses[kept] = noted[kept].address;
    ++kept;
  }
  return kept;
}

static bool is_there(const struct ctg_walk *walk, const struct noted *noted) {
  size_t at = frame_at(walk, noted->stack_pointer);
  // Another function may have its frame there by now, or the same one may have gone on.
  return at < walk->count && walk->addresses[at] == noted->address;
}

// The functions that were active then and still are have their frames where they had them, and all but the innermost of
// them go on where they would have gone on then. That one and those that have returned are as they were noted.
size_t ctg_stack_of_taking(const struct ctg_held *held, const struct ctg_walk *walk, uintptr_t *addresses) {
  struct noted noted[CTG_NOTED_CALLERS];
  size_t count = noted_callers(held, noted), changed = 0;
  for (size_t i = 1; i < count; ++i) {
    if (is_there(walk, &noted[i])) continue;
    bool is_frame = frame_at(walk, noted[i].stack_pointer) < walk->count;
    // What was no frame pointer led to no frame, though the function below it has not gone on.
    if (!is_frame && (is_there(walk, &noted[i - 1]) || !is_code(noted[i].address))) break;
    changed = i;
  }
  if (count == 0) return 0;
  for (size_t i = 0; i <= changed; ++i) addresses[i] = noted[i].address;
  return copy_above(walk, noted[changed].stack_pointer, addresses, changed + 1);
}

// --- Stacks that are kept ----------------------------------------------------------------------------------------

#define STACKS_MAX 262144u
#define BUCKETS 16384u
#define BLOCK (1u << 20)
#define BLOCKS_MAX 64u

struct kept {
  uint32_t next, count;
  uint64_t hash;
  const uintptr_t *addresses;
};

static struct ctg_pool stacks = {.item_size = sizeof(struct kept), .limit = STACKS_MAX};
static uint32_t buckets[BUCKETS];
static char *block;
static size_t block_left;
static unsigned blocks;

static uint64_t hash_of(const uintptr_t *addresses, size_t count) {
  uint64_t hash = 0x9e3779b97f4a7c15u;
  for (size_t i = 0; i < count; ++i) hash = (hash ^ addresses[i]) * 0xd6e8feb86659fd93u;
  return hash ^ hash >> 32;
}

static uintptr_t *room_for(size_t count) {
  size_t size = count * sizeof(uintptr_t);
  if (size > block_left) {
    if (blocks == BLOCKS_MAX || !(block = ctg_pages_map(BLOCK))) return NULL;
    blocks++;
    block_left = BLOCK;
  }
  uintptr_t *room = (uintptr_t *)(block + (BLOCK - block_left));
  block_left -= size;
  return room;
}

uint32_t ctg_stack_keep(const uintptr_t *addresses, size_t count) {
  if (count == 0) return 0;
  uint64_t hash = hash_of(addresses, count);
  uint32_t *bucket = &buckets[hash % BUCKETS];
  for (uint32_t number = *bucket; number;) {
    const struct kept *kept = ctg_pool_at(&stacks, number);
    if (kept->hash == hash && kept->count == count) return number;
    number = kept->next;
  }
  uintptr_t *room = room_for(count);
  uint32_t number = room ? ctg_pool_take(&stacks) : 0;
  if (!number) return 0;
  memcpy(room, addresses, count * sizeof *addresses);
  *(struct kept *)ctg_pool_at(&stacks, number) =
      (struct kept){.next = *bucket, .count = (uint32_t)count, .hash = hash, .addresses = room};
  *bucket = number;
  return number;
}

struct ctg_stack ctg_stack_kept(uint32_t number) {
  if (!number) return (struct ctg_stack){0};
  const struct kept *kept = ctg_pool_at(&stacks, number);
  return (struct ctg_stack){kept->addresses, kept->count};
}

#define PLACE_FRAMES 16

uint64_t ctg_stack_place(uint32_t number) {
  struct ctg_stack stack = ctg_stack_kept(number);
  return hash_of(stack.addresses, stack.count < PLACE_FRAMES ? stack.count : PLACE_FRAMES);
}
