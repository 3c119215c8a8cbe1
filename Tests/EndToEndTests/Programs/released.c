// Memory is used in ways that it must not be: released HOW.

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct order {
  long number;
  char name[40];
};

// The compiler knows of neither what it holds.
static struct order *volatile kept;
static volatile size_t step = 1;

__attribute__((noinline)) static struct order *make(void) {
  struct order *order = malloc(sizeof *order);  // It is allocated here.
  order->number = 7;
  return order;
}

__attribute__((noinline)) static struct order *make_aligned(void) {
  struct order *order = aligned_alloc(256, sizeof *order);  // It is allocated aligned here.
  order->number = (uintptr_t)order % 256;
  if (order->number != 0) abort();
  return order;
}

__attribute__((noinline)) static void drop(void) {
  free((char *)kept + step - 1);  // It is released here.
  puts("released");
}

__attribute__((noinline)) static void enlarge(void) {
  volatile void *larger = realloc(kept, 500);  // It is moved here.
  if (!larger) abort();
}

static void *drop_on_thread(void *unused) {
  drop();
  return unused;
}

__attribute__((noinline)) static long use(void) {
  return kept->number + 1;  // It is used here.
}

__attribute__((noinline)) static void change(void) {
  kept->number = 8;  // It is changed here.
}

__attribute__((noinline)) static void run_along(long by) {
  for (volatile char *at = (char *)kept;; at += by) *at = 1;  // It is left here.
}

static void drop_elsewhere(void) {
  pthread_t thread;
  if (pthread_create(&thread, NULL, drop_on_thread, NULL) != 0) abort();
  pthread_join(thread, NULL);
}

// Whether the guard is in this program at all.
static int print_guard(void) {
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096];
  int found = 0;
  while (maps && fgets(line, sizeof line, maps)) found |= strstr(line, "GuardPreload") != NULL;
  puts(found ? "guarded" : "unguarded");
  return 0;
}

int main(int count, char **arguments) {
  const char *how = count > 1 ? arguments[1] : "";
  if (strcmp(how, "look") == 0) return print_guard();
  kept = strcmp(how, "aligned") == 0 ? make_aligned() : make();
  if (strcmp(how, "over") == 0) run_along(1);
  if (strcmp(how, "under") == 0) run_along(-1);
  if (strcmp(how, "inside") == 0) step = 9;
  if (strcmp(how, "moved") == 0)
    enlarge();
  else
    drop_elsewhere();
  if (strcmp(how, "write") == 0) change();
  if (strcmp(how, "double") == 0) drop();
  printf("%ld\n", use());
}
