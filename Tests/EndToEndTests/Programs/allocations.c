// Allocates as programs do, on many threads and in forked children, and ends with 1 if an answer is not libc's:
// allocations [count].

#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                         \
  do {                                                           \
    if (!(condition)) {                                          \
      fprintf(stderr, "%d: not so: %s\n", __LINE__, #condition); \
      _exit(1);                                                  \
    }                                                            \
  } while (0)

enum { THREADS = 6, STEPS = 8000, KEPT = 64, FORKS_EVERY = 1000 };

typedef struct piece {
  unsigned char *bytes;
  size_t size;
} piece;

static unsigned next(unsigned *seed) { return (*seed = *seed * 1103515245 + 12345) >> 8; }

static void fill(piece *piece, int value) { memset(piece->bytes, value, piece->size); }

static void check(const piece *piece, size_t size, int value) {
  for (size_t i = 0; i < size; ++i) CHECK(piece->bytes[i] == value);
}

static void allocate(piece *piece, unsigned *seed) {
  piece->size = next(seed) % 6000;
  size_t alignment = (size_t)16 << next(seed) % 9;
  switch (next(seed) % 5) {
    case 0: piece->bytes = malloc(piece->size); break;
    case 1:
      piece->bytes = calloc(1, piece->size);
      check(piece, piece->size, 0);
      break;
    case 2: piece->bytes = realloc(NULL, piece->size); break;
    case 3: CHECK(posix_memalign((void **)&piece->bytes, alignment, piece->size) == 0); break;
    default: piece->bytes = memalign(alignment, piece->size);
  }
  CHECK(piece->bytes && (uintptr_t)piece->bytes % 16 == 0);
  CHECK(malloc_usable_size(piece->bytes) >= piece->size);
}

static void resize(piece *piece, unsigned *seed, int value) {
  size_t before = piece->size;
  piece->size = next(seed) % 6000 + 1;
  piece->bytes = reallocarray(piece->bytes, 1, piece->size);
  CHECK(piece->bytes);
  check(piece, before < piece->size ? before : piece->size, value);
}

static void step(piece *pieces, unsigned *seed) {
  int place = (int)(next(seed) % KEPT);
  piece *piece = &pieces[place];
  if (!piece->bytes) {
    allocate(piece, seed);
  } else {
    check(piece, piece->size, place);
    if (next(seed) % 3 != 0) {
      free(piece->bytes);
      piece->bytes = NULL;
      return;
    }
    resize(piece, seed, place);
  }
  fill(piece, place);
}

static void work(unsigned seed, int steps) {
  piece pieces[KEPT] = {{NULL, 0}};
  for (int i = 0; i < steps; ++i) step(pieces, &seed);
  for (int i = 0; i < KEPT; ++i) free(pieces[i].bytes);
}

static void fork_and_work(unsigned seed) {
  pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    work(seed, STEPS / 10);
    _exit(0);
  }
  int status;
  CHECK(waitpid(child, &status, 0) == child && status == 0);
}

static void *run(void *number) {
  unsigned seed = (unsigned)(uintptr_t)number;
  for (int i = 0; i < STEPS; i += FORKS_EVERY) {
    work(seed + (unsigned)i, FORKS_EVERY);
    fork_and_work(seed + (unsigned)i);
  }
  return NULL;
}

static void check_answers(void) {
  volatile size_t most = SIZE_MAX, two = 2, twelve = 12;
  void *memory = NULL;
  errno = 0;
  CHECK(!calloc(most, two) && errno == ENOMEM);
  errno = 0;
  CHECK(!reallocarray(NULL, most, two) && errno == ENOMEM);
  errno = 0;
  CHECK(!malloc(most - 8) && errno == ENOMEM);
  CHECK(posix_memalign(&memory, twelve, 16) == EINVAL && posix_memalign(&memory, 4, 16) == EINVAL && !memory);
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  memory = valloc(100);
  CHECK(memory && (uintptr_t)memory % page == 0);
  free(memory);
  memory = pvalloc(100);
  CHECK(memory && (uintptr_t)memory % page == 0 && malloc_usable_size(memory) >= page);
  errno = EDOM;
  free(memory);
  free(malloc(0));
  CHECK(errno == EDOM && malloc_usable_size(NULL) == 0);
  memory = malloc(10);
  CHECK(!realloc(memory, 0));
}

// Of 100,000 allocations, so many were guarded: only these have room for no more than was asked for.
static int count_guarded(void) {
  int guarded = 0;
  for (int i = 0; i < 100000; ++i) {
    char *volatile memory = malloc(33);
    guarded += malloc_usable_size(memory) == 33;
    free(memory);
  }
  printf("%d\n", guarded);
  return 0;
}

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "count") == 0) return count_guarded();
  check_answers();
  pthread_t threads[THREADS];
  for (uintptr_t i = 0; i < THREADS; ++i) CHECK(pthread_create(&threads[i], NULL, run, (void *)(i + 1)) == 0);
  for (int i = 0; i < THREADS; ++i) pthread_join(threads[i], NULL);
  check_answers();
  puts("as libc");
}
