// Recursions of a hundred thousand calls and without end.
#include <pthread.h>
#include <stdint.h>

#include "probe.h"

#define DEPTH 100000
__attribute__((noinline)) static int odd(int depth);
__attribute__((noinline)) static int even(int depth) {
  if (depth == 0) store((char *)8);
  return odd(depth - 1) + 1;
}
__attribute__((noinline)) static int odd(int depth) {
  if (depth == 0) store((char *)8);
  return even(depth - 1) + 2;
}
static void *recurse(void *argument) {
  even(DEPTH - 1);
  return argument;
}
static int deep_recursion(void) {
  install_crashkit();
  recurse(NULL);
  return 7;
}
static int deep_recursion_on_large_stack(void) {
  install_crashkit();
  pthread_attr_t large;
  pthread_attr_init(&large);
  CHECK(pthread_attr_setstacksize(&large, 64 * 1024 * 1024) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, &large, recurse, NULL) == 0);
  pthread_join(thread, NULL);
  return 7;
}
static void *overflow_large(void *argument) {
  even(INT32_MAX);
  return argument;
}
static int endless_recursion_on_large_stack(void) {
  install_crashkit();
  pthread_attr_t large;
  pthread_attr_init(&large);
  CHECK(pthread_attr_setstacksize(&large, 64 * 1024 * 1024) == 0);
  pthread_t thread;
  CHECK(pthread_create(&thread, &large, overflow_large, NULL) == 0);
  pthread_join(thread, NULL);
  return 7;
}

const probe deep_stack_probes[] = {
    {"deep-recursion", deep_recursion},
    {"deep-recursion-on-large-stack", deep_recursion_on_large_stack},
    {"endless-recursion-on-large-stack", endless_recursion_on_large_stack},
    {NULL, NULL},
};
