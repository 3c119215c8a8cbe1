// Attributes and metrics, written by several threads while one reads.
#include "probe.h"
#include <pthread.h>
#include <string.h>

enum { ROUNDS = 30000 };

static _Atomic unsigned running;

// Whole values only: one letter, as many times as its place in the alphabet times ten.
static void *write_attributes(void *argument) {
  char value[260];
  unsigned seed = (unsigned)(uintptr_t)argument;
  for (unsigned i = 0; i < ROUNDS; i++) {
    unsigned letter = (i * 7 + seed) % 26;
    memset(value, 'a' + (int)letter, sizeof value);
    CHECK(ck_attribute_set("shared", 6, value, letter * 10) == CK_ATTRIBUTE_SET);
    char key = (char)('A' + seed);
    CHECK(ck_attribute_set(&key, 1, i % 3 ? "x" : NULL, 1) == CK_ATTRIBUTE_SET);
  }
  running--;
  return NULL;
}

/// DIRECTORY
int probe_attributes(char **arguments) {
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  CHECK(ck_attribute_set("shared", 6, "", 0) == CK_ATTRIBUTE_SET);
  pthread_t threads[3];
  running = 3;
  for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, write_attributes, (void *)i);
  unsigned long seen = 0;
  ck_region_view view;
  CHECK(ck_region_view_self(&view));
  for (; running > 0; seen++) {
    ck_attribute attribute;
    // Set once, it is there at every moment.
    CHECK(ck_attribute_read(&view, 0, &attribute) && attribute.key_length == 6);
    for (int i = 0; i < attribute.value_length; i++) CHECK(attribute.value[i] == 'a' + attribute.value_length / 10);
  }
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  CHECK(seen > 100, "%lu", seen);
  return 0;
}

// Whole values only: the threshold is twice the value.
static void *write_metric(void *argument) {
  int slot = cph_metric_register("shared", 6, "ratio", 5);
  CHECK(slot >= 0);
  for (unsigned i = 1; i <= ROUNDS * 10; i++) {
    double value = (double)i + (double)(uintptr_t)argument / 4;
    cph_metric_update(slot, value, CPH_METRIC_NOMINAL, true, value * 2);
  }
  running--;
  return NULL;
}

/// DIRECTORY
int probe_metrics(char **arguments) {
  attach(arguments[0], CK_RING_DEFAULT_SIZE);
  int slot = cph_metric_register("shared", 6, "ratio", 5);
  pthread_t threads[3];
  running = 3;
  for (uintptr_t i = 0; i < 3; i++) pthread_create(&threads[i], NULL, write_metric, (void *)i);
  unsigned long seen = 0;
  cph_metric metric;
  while (running > 0) {
    CHECK(cph_metric_read(slot, &metric));
    if (!metric.has_value) continue;
    CHECK(metric.threshold == metric.value * 2 && metric.state == CPH_METRIC_NOMINAL, "%f", metric.value);
    seen++;
  }
  for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
  CHECK(seen > 100 && cph_metric_register("shared", 6, "", 0) == slot);
  CHECK(cph_metric_read(slot, &metric) && metric.value >= ROUNDS * 10 - 100);
  return 0;
}
