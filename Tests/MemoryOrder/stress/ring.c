// The breadcrumb ring, the attributes and the metrics under ThreadSanitizer: record/*.c and metric_slots.c as they are.

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>

#include "CCrashCapture.h"
#include "CGround/memory.h"
#include "CGround/refusals.h"
#include "CProcessHooks.h"
#include "CSecrets.h"
#include "metric_slots.h"
#include "record/attribute_table.h"
#include "record/region_file.h"
#include "region_view.h"

enum { ROUNDS = 4000 };

static _Atomic int at_work = 4;

// What they use of other files.
_Thread_local cph_thread_phase cph_current_thread_phase = CPH_THREAD_RUNNING;
void cph_thread_found(void) {}
bool csec_may_hold_secret(const char *text, size_t length) { return (void)text, (void)length, false; }
csec_safe_text csec_without_secrets(const char *text, size_t length, char *room, size_t capacity) {
  return (void)room, (void)capacity, (csec_safe_text){text, length};
}
void ck_region_attach_child(void) {}
size_t cgr_memory_read(uint64_t address, void *out, size_t size) { return (void)address, (void)out, (void)size, 0; }
bool cgr_word_peek(uint64_t address, uint64_t *word) { return (void)address, (void)word, false; }
long cgr_thread_id(void) { return 1; }
CGR_OF_THREAD volatile uint64_t cgr_refusals_expected;
long cgr_process_id(void) { return 1; }

static void *records(void *unused) {
  static const char text[] = "a breadcrumb that takes more than a word";
  for (int i = 0; i < ROUNDS; ++i) ck_breadcrumb_record(text, (size_t)i % sizeof text, "stress", 6, CK_INFO, NULL);
  atomic_fetch_sub_explicit(&at_work, 1, memory_order_relaxed);
  return unused;
}

static void *changes(void *argument) {
  struct ck_attribute_slot *slots = (void *)(cph_region + CPH_REGION_ATTRIBUTES_OFFSET);
  const char *name = argument;
  for (int i = 0; i < ROUNDS; ++i) {
    char own_name[32];
    int length = snprintf(own_name, sizeof own_name, "%s %d", name, i / 100 % 25);
    int metric = cph_metric_register(own_name, (size_t)length, "ratio", 5);
    cph_metric_update(metric, i, CPH_METRIC_UNKNOWN, false, 0);
    cph_metric_update(0, i, CPH_METRIC_UNKNOWN, true, i);
    if (i % 100 == 0) sched_yield();
    if (!cph_region_enter() || !cph_region_lock_tables()) continue;
    struct ck_attribute_entry entry = {.value_length = 8, .key_length = 8, .is_set = 1};
    for (size_t word = 0; word < CK_ATTRIBUTE_KEY_MAX / 8; ++word) entry.key[word] = (uint64_t)i;
    for (size_t word = 0; word < CK_ATTRIBUTE_VALUE_MAX / 8; ++word) entry.value[word] = (uint64_t)i;
    ck_attribute_entry_write(&slots[0], &entry);
    cph_region_unlock_tables();
  }
  atomic_fetch_sub_explicit(&at_work, 1, memory_order_relaxed);
  return NULL;
}

static bool is_sound(const ck_breadcrumb *breadcrumb) {
  return breadcrumb->category_length == 6 && memcmp(breadcrumb->category, "stress", 6) == 0;
}

static void *reads(void *wrong) {
  static ck_ring_reader reader;
  while (atomic_load_explicit(&at_work, memory_order_relaxed) > 0) {
    ck_region_view view;
    if (!ck_region_view_self(&view)) continue;
    ck_ring_reader_init(&reader, &view);
    for (ck_breadcrumb breadcrumb; ck_ring_next(&reader, &breadcrumb);)
      if (!is_sound(&breadcrumb)) *(int *)wrong = 1;
    ck_attribute attribute;
    if (ck_attribute_read(&view, 0, &attribute) && memcmp(attribute.key, attribute.value, 8) != 0) *(int *)wrong = 1;
    cph_metric metric;
    for (int slot = 0; slot < CPH_METRIC_SLOTS; ++slot) cph_metric_read(slot, &metric);
  }
  return NULL;
}

int main(void) {
  int wrong = 0;
  pthread_t threads[5];
  pthread_create(&threads[4], NULL, reads, &wrong);
  pthread_create(&threads[0], NULL, records, NULL);
  pthread_create(&threads[1], NULL, records, NULL);
  pthread_create(&threads[2], NULL, changes, "load");
  pthread_create(&threads[3], NULL, changes, "memory");
  for (int i = 0; i < 5; ++i) pthread_join(threads[i], NULL);
  if (wrong) puts("a torn record was taken");
  return wrong;
}
