// Mappings from /proc/thread-self/maps, their pages from pagemap, their bytes by reads that cannot fault.

#include "tasks/writable_memory.h"

#include <fcntl.h>
#include <sys/auxv.h>

#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "processor/maps.h"

// glibc's heaps of threads begin at a multiple of this (malloc/arena.c, HEAP_MAX_SIZE).
#define ARENA_ALIGNMENT (64ull * 1024 * 1024)

static uint64_t page_bytes = 4096;

void ck_memory_walk_prepare(void) {
  unsigned long bytes = getauxval(AT_PAGESZ);
  if (bytes > 0) page_bytes = bytes;
}

bool ck_memory_walk_open(ck_memory_walk *walk, ck_time_limit *limit) {
  walk->is_second = false;
  walk->limit = limit;
  walk->at = walk->end = walk->run_end = walk->entries_start = walk->entries_end = walk->total = 0;
  if (!cgr_lines_open(&walk->maps, "/proc/thread-self/maps")) return false;
  walk->pagemap = (int)cgr_open(AT_FDCWD, "/proc/thread-self/pagemap", O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  return true;
}

void ck_memory_walk_close(ck_memory_walk *walk) {
  cgr_lines_close(&walk->maps);
  if (walk->pagemap >= 0) cgr_syscall1(SYS_close, walk->pagemap);
  walk->pagemap = -1;
}

static bool begins_with(const char *text, const char *prefix) {
  while (*prefix)
    if (*text++ != *prefix++) return false;
  return true;
}

static bool is_heap(const ck_mapping *m) { return begins_with(m->path, "[heap]") || m->start % ARENA_ALIGNMENT == 0; }

static bool is_wanted(const ck_memory_walk *walk, const ck_mapping *m) {
  bool has_no_file = m->path[0] == 0 || begins_with(m->path, "[heap]") || begins_with(m->path, "[anon");
  return m->readable && m->writable && m->is_private && has_no_file && is_heap(m) != walk->is_second;
}

static bool next_mapping(ck_memory_walk *walk) {
  while (!ck_time_limit_is_over(walk->limit)) {
    const char *end, *line = cgr_lines_next(&walk->maps, &end);
    if (!line && walk->is_second) return false;
    if (!line) {
      walk->is_second = true;
      cgr_lines_close(&walk->maps);
      if (!cgr_lines_open(&walk->maps, "/proc/thread-self/maps")) return false;
      continue;
    }
    ck_mapping mapping;
    if (!ck_mapping_parse(line, end, &mapping) || !is_wanted(walk, &mapping)) continue;
    walk->at = walk->run_end = mapping.start;
    walk->end = mapping.end;
    return true;
  }
  return false;
}

// --- Pages -----------------------------------------------------------------------------------------------------

#define PAGE_IS_PRESENT (1ull << 63)
#define PAGE_IS_SWAPPED (1ull << 62)

static bool read_entries(ck_memory_walk *walk, uint64_t address) {
  uint64_t first = address / page_bytes;
  long got = cgr_syscall4(SYS_pread64, walk->pagemap, walk->entries, sizeof walk->entries, first * 8);
  if (got < 8) return false;
  walk->entries_start = first * page_bytes;
  walk->entries_end = walk->entries_start + (uint64_t)got / 8 * page_bytes;
  return true;
}

typedef enum page_state {
  PAGE_UNTOUCHED,
  PAGE_IN_MEMORY,
  PAGE_MAYBE_ELSEWHERE,  // swapped out, or the kernel does not say
} page_state;

static page_state state_of_page(ck_memory_walk *walk, uint64_t address) {
  bool is_known = address >= walk->entries_start && address < walk->entries_end;
  if (!is_known && (walk->pagemap < 0 || !read_entries(walk, address))) return PAGE_MAYBE_ELSEWHERE;
  uint64_t entry = walk->entries[(address - walk->entries_start) / page_bytes];
  if (entry & PAGE_IS_SWAPPED) return PAGE_MAYBE_ELSEWHERE;
  return entry & PAGE_IS_PRESENT ? PAGE_IN_MEMORY : PAGE_UNTOUCHED;
}

// Finds the next pages of the mapping that hold something: at most a piece of them, or one that the kernel may have to
// read from a disk.
static bool next_run(ck_memory_walk *walk) {
  page_state state = PAGE_UNTOUCHED;
  while (walk->at < walk->end && (state = state_of_page(walk, walk->at)) == PAGE_UNTOUCHED) {
    walk->at += page_bytes;
    if (walk->at >= walk->entries_end && ck_time_limit_is_over(walk->limit)) return false;
  }
  if (walk->at >= walk->end) return false;
  walk->run_end = walk->at + page_bytes;
  if (state == PAGE_MAYBE_ELSEWHERE) return true;
  while (walk->run_end < walk->end && walk->run_end - walk->at < CK_WALK_PIECE
         && state_of_page(walk, walk->run_end) == PAGE_IN_MEMORY)
    walk->run_end += page_bytes;
  return true;
}

// The walk does not read itself: a copy that runs over its own source is no copy.
static bool is_own(const ck_memory_walk *walk, uint64_t address, uint64_t size) {
  uint64_t start = (uintptr_t)walk, end = start + sizeof *walk;
  return address < end && address + size > start;
}

const uint8_t *ck_memory_walk_next(ck_memory_walk *walk, uint64_t *address, size_t *size) {
  uint8_t *bytes = walk->room + (8 - ((uintptr_t)walk->room & 15) + 16) % 16;
  for (;;) {
    if (ck_time_limit_is_over(walk->limit)) break;
    if (walk->at >= walk->run_end && !next_run(walk) && !next_mapping(walk)) break;
    if (walk->at >= walk->run_end) continue;
    uint64_t left = walk->run_end - walk->at, piece = left < CK_WALK_PIECE ? left : CK_WALK_PIECE;
    if (is_own(walk, walk->at, piece)) {
      walk->at += page_bytes;
      continue;
    }
    size_t got = cgr_memory_read(walk->at, bytes, piece);
    *address = walk->at;
    *size = got;
    // A page that is gone meanwhile, or refuses: the next one may not.
    walk->at += got > 0 && got == piece ? got : (got / page_bytes + 1) * page_bytes;
    walk->total += got;
    if (got > 0) return bytes;
  }
  *size = 0;
  return bytes;
}
