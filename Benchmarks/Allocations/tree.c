// Fills a tree with texts and drops it, again and again: tree ROUNDS. Prints how often it allocated.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { NODES = 20000 };

typedef struct node {
  struct node *sides[2];
  uint64_t key;
  char text[];
} node;

static uint64_t next(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  return *seed ^= *seed << 17;
}

static void insert(node **at, uint64_t key) {
  while (*at) at = &(*at)->sides[key < (*at)->key];
  size_t size = 17 + key % 48;
  *at = malloc(sizeof **at + size);
  **at = (node){.key = key};
  snprintf((*at)->text, size, "%lx", (unsigned long)key);
}

static void drop(node *tree) {
  if (!tree) return;
  drop(tree->sides[0]);
  drop(tree->sides[1]);
  free(tree);
}

int main(int count, char **arguments) {
  long rounds = count > 1 ? atol(arguments[1]) : 1;
  uint64_t seed = 1;
  for (long i = 0; i < rounds; ++i) {
    node *tree = NULL;
    for (int j = 0; j < NODES; ++j) insert(&tree, next(&seed));
    drop(tree);
  }
  printf("%ld\n", rounds * NODES);
}
