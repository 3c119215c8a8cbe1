// Records of locks. Plain memory, and reads and writes of the program's memory that cannot fault: a lock that is still
// on a thread's stack may have been freed.

#include "locks/records.h"

#include <pthread.h>
#include <string.h>
#include <sys/uio.h>

#include "ground/full_tables.h"
#include "locks/witnesses.h"
#include "CGround/syscalls.h"

#define RECORDS_MAX 500000u
#define BUCKETS 65536u
#define NAMES_SIZE (1u << 20)

struct ctg_graph ctg_graph = {
    .nodes = {.item_size = sizeof(struct ctg_graph_node), .limit = RECORDS_MAX},
    .edges = {.item_size = sizeof(struct ctg_graph_edge), .limit = 1000000},
};
_Atomic uint32_t ctg_last_identity, ctg_opaque_locks;

static struct ctg_pool records = {.item_size = sizeof(struct ctg_record), .limit = RECORDS_MAX};
static uint32_t buckets[BUCKETS];
static uint32_t last_serial;
static uint32_t classes;  // the first, linked by next_in_bucket
static char *names;
static size_t names_used;

struct ctg_record *ctg_record_at(uint32_t number) {
  return ctg_pool_at(&records, number);
}

uint32_t ctg_records_count(void) { return records.live; }

static uint32_t *bucket_of(uintptr_t address) { return &buckets[(address * 0x9e3779b97f4a7c15u) >> 48]; }

// --- What is written into a lock ---------------------------------------------------------------------------------

static uintptr_t place_in_lock(const struct ctg_held *held) {
  if (held->flags & CTG_LOCK_IS_OPAQUE) return 0;
  if (held->type == CTG_MUTEX || held->type == CTG_RECURSIVE_MUTEX)
    return (uintptr_t) & ((pthread_mutex_t *)held->address)->__data.__list;
  return held->type == CTG_RWLOCK ? (uintptr_t) & ((pthread_rwlock_t *)held->address)->__data.__pad3 : 0;
}

static uint32_t identity_now(const struct ctg_held *held) {
  uintptr_t place = place_in_lock(held);
  if (!place) return ctg_generation(held->address);
  uint32_t identity = 0;
  struct iovec own = {&identity, sizeof identity}, other = {(void *)place, sizeof identity};
  cgr_syscall6(SYS_process_vm_readv, cgr_syscall0(SYS_getpid), (long)&own, 1, (long)&other, 1, 0);
  return identity;
}

// --- Records -----------------------------------------------------------------------------------------------------

uint32_t ctg_record_find(uintptr_t address) {
  uint32_t number = *bucket_of(address);
  while (number && ctg_record_at(number)->address != address) number = ctg_record_at(number)->next_in_bucket;
  return number;
}

uint32_t ctg_record_find_bounded(uintptr_t address, unsigned steps) {
  uint32_t number = __atomic_load_n(bucket_of(address), __ATOMIC_ACQUIRE);
  while (number && steps-- > 0 && ctg_record_at(number)->address != address)
    number = ctg_record_at(number)->next_in_bucket;
  return number && ctg_record_at(number)->address == address ? number : 0;
}

static uint32_t add(uintptr_t address) {
  uint32_t number = ctg_pool_take(&records);
  uint32_t node = number ? ctg_graph_add_node(&ctg_graph, number) : 0;
  if (!node) {
    if (number) ctg_pool_give_back(&records, number);
    ctg_limit_reached(CTG_LIMIT_LOCKS);
    return 0;
  }
  struct ctg_record *record = ctg_record_at(number);
  record->node = node;
  record->serial = ++last_serial;
  record->address = address;
  if (!address) return number;
  uint32_t *bucket = bucket_of(address);
  record->next_in_bucket = *bucket;
  // For ctg_record_find_bounded, which has no lock: the record and its chunk come first.
  __atomic_store_n(bucket, number, __ATOMIC_RELEASE);
  return number;
}

static void forget(uint32_t number) {
  struct ctg_record *record = ctg_record_at(number);
  uint32_t *at = bucket_of(record->address);
  while (*at != number) at = &ctg_record_at(*at)->next_in_bucket;
  *at = record->next_in_bucket;
  ctg_graph_remove_node(&ctg_graph, record->node, ctg_witnesses_forget);
  ctg_pool_give_back(&records, number);
}

void ctg_record_forget(uintptr_t address) {
  ctg_generation_ends(address);
  uint32_t number = ctg_record_find(address);
  if (number) forget(number);
}

// A lock that is only wanted has a number from the thread that took it first.
static void identify(struct ctg_record *record, struct ctg_held *held) {
  record->type = held->type;
  record->flags = held->flags & ~(CTG_TAKEN_SHARED | CTG_TAKEN_BY_TRY | CTG_STACK_IS_KEPT | CTG_GIVEN_BACK);
  if (held->identity == 0) held->identity = identity_now(held);
  if (held->type != CTG_QUEUE && !place_in_lock(held)) atomic_fetch_add(&ctg_opaque_locks, 1);
  record->identity = held->identity;
}

uint32_t ctg_record_of(struct ctg_held *held) {
  uint32_t number = ctg_record_find(held->address), class_record = 0;
  if (number) {
    struct ctg_record *record = ctg_record_at(number);
    if (record->type == held->type && record->identity == held->identity && record->is_seen) return number;
    // A name was given to it before it was first taken in company.
    if (!record->is_seen) class_record = record->class_record;
    forget(number);
  }
  number = add(held->address);
  if (!number) return 0;
  struct ctg_record *record = ctg_record_at(number);
  record->class_record = class_record;
  record->is_seen = true;
  identify(record, held);
  return number;
}

// --- Classes -----------------------------------------------------------------------------------------------------

static const char *keep_name(const char *name) {
  size_t size = strlen(name) + 1;
  if (!names && !(names = ctg_pages_map(NAMES_SIZE))) return NULL;
  if (size > NAMES_SIZE - names_used) return NULL;
  names_used += size;
  return memcpy(names + names_used - size, name, size);
}

void ctg_record_label(uint32_t number, const char *label) {
  static const char *last;
  struct ctg_record *record = ctg_record_at(number);
  if (record->name || !label || !*label) return;
  // Queues made in one place have one label.
  record->name = last && strcmp(last, label) == 0 ? last : keep_name(label);
  if (record->name) last = record->name;
}

static uint32_t class_of(const char *name, enum ctg_lock_type type) {
  for (uint32_t number = classes; number; number = ctg_record_at(number)->next_in_bucket)
    if (strcmp(ctg_record_at(number)->name, name) == 0) return number;
  const char *kept = keep_name(name);
  uint32_t number = kept ? add(0) : 0;
  if (!number) return 0;
  struct ctg_record *record = ctg_record_at(number);
  record->name = kept;
  record->type = (uint8_t)type;
  record->next_in_bucket = classes;
  classes = number;
  return number;
}

bool ctg_record_name(uintptr_t address, enum ctg_lock_type type, const char *name) {
  uint32_t class_record = class_of(name, type);
  uint32_t number = class_record ? ctg_record_find(address) : 0;
  if (class_record && !number && (number = add(address))) ctg_record_at(number)->type = (uint8_t)type;
  if (!number) return false;
  ctg_record_at(number)->class_record = class_record;
  return true;
}
