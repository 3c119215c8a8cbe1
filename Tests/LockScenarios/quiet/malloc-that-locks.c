// The program's own malloc, which takes a mutex: whoever allocates while looking at a lock comes back to itself.

#include <stdint.h>

#include "quiet.h"

enum { SIZE = 64 << 20 };

static pthread_mutex_t of_malloc = PTHREAD_MUTEX_INITIALIZER, outer = PTHREAD_MUTEX_INITIALIZER;
static _Alignas(64) unsigned char memory[SIZE];
static size_t used;

void *malloc(size_t size) {
  pthread_mutex_lock(&of_malloc);
  size_t start = used;
  used += (size + 16 + 63) & ~(size_t)63;
  pthread_mutex_unlock(&of_malloc);
  if (used > SIZE) return NULL;
  memcpy(&memory[start], &size, sizeof size);
  return &memory[start + 16];
}

void free(void *block) {
  // Given back to nobody, but with the lock that a real one takes.
  if (!block) return;
  pthread_mutex_lock(&of_malloc);
  pthread_mutex_unlock(&of_malloc);
}

void *calloc(size_t count, size_t size) {
  void *block = malloc(count * size);
  return block ? memset(block, 0, count * size) : NULL;
}

void *realloc(void *block, size_t size) {
  void *larger = malloc(size);
  if (block && larger) {
    size_t before;
    memcpy(&before, (unsigned char *)block - 16, sizeof before);
    memcpy(larger, block, before < size ? before : size);
  }
  return larger;
}

static void *work(void *unused) {
  for (int i = 0; i < 1000; i++) {
    lock(&outer);
    char *block = malloc(40);
    HOLDS(block && (uintptr_t)block % 16 == 0);
    free(block);
    unlock(&outer);
  }
  return unused;
}

int main(void) {
  pthread_t threads[4];
  for (int i = 0; i < 4; i++) MUST(pthread_create(&threads[i], NULL, work, NULL));
  for (int i = 0; i < 4; i++) MUST(pthread_join(threads[i], NULL));
  puts("allocated");
}
