// Telling Go's handlers from others by the image that they lie in. It is found in memory: no file is opened, as a
// filter might kill for it, and no list of libc's is read, as sigaction may be called while that is locked.

#include "go_handlers.h"

#include <elf.h>
#include <link.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "process_masks.h"
#include "CGround/memory.h"
#include "CGround/signals.h"

volatile bool cph_asks_kernel_for_stack;

#define PAGE_BYTES 4096  // the smallest of the supported machines

// Go sets each of its handlers so. Others that do are looked at as well. libc's sigaddset leaves its own signals out.
static bool is_set_as_gos(const struct sigaction *action) {
  const int flags = SA_SIGINFO | SA_ONSTACK | SA_RESTART;
  uint64_t mask = *(const uint64_t *)&action->sa_mask | CGR_LIBC_SIGNALS | CPH_UNBLOCKABLE;
  bool is_handler = action->sa_handler != SIG_DFL && action->sa_handler != SIG_IGN;
  return is_handler && (action->sa_flags & flags) == flags && mask == ~0ull;
}

typedef struct image {
  uintptr_t bias;
  const ElfW(Phdr) * segments;
  size_t count;
} image;

static bool is_readable(uintptr_t page) {
  uint64_t word;
  return cgr_word_peek(page, &word);
}

static bool is_executable_at(const image *image, uintptr_t address) {
  for (size_t i = 0; i < image->count; ++i) {
    const ElfW(Phdr) *segment = &image->segments[i];
    bool is_code = segment->p_type == PT_LOAD && segment->p_flags & PF_X;
    if (is_code && address - (image->bias + segment->p_vaddr) < segment->p_memsz) return true;
  }
  return false;
}

// Another file's header may lie in an image's data: it has no code at the address.
static bool is_image_of(uintptr_t page, uintptr_t address, image *image) {
  const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)page;
  if (!is_readable(page) || *(const uint32_t *)page != *(const uint32_t *)ELFMAG) return false;
  size_t size = header->e_phnum * sizeof(ElfW(Phdr));
  if (header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phoff > PAGE_BYTES) return false;
  if (header->e_phoff % 8 != 0 || header->e_phoff + size > PAGE_BYTES) return false;
  image->segments = (const ElfW(Phdr) *)(page + header->e_phoff);
  image->count = header->e_phnum;
  for (size_t i = 0; i < image->count; ++i) {
    const ElfW(Phdr) *segment = &image->segments[i];
    if (segment->p_type != PT_LOAD || segment->p_offset >= PAGE_BYTES) continue;
    image->bias = page - (segment->p_vaddr - segment->p_offset);
    return is_executable_at(image, address);
  }
  return false;
}

// No program has more code in one image.
#define FARTHEST_BYTES (1ull << 30)

static bool find_handlers_image(uintptr_t address, image *image) {
  uintptr_t page = address & ~(uintptr_t)(PAGE_BYTES - 1);
  uintptr_t lowest = page > FARTHEST_BYTES ? page - FARTHEST_BYTES : PAGE_BYTES;
  for (; page >= lowest; page -= PAGE_BYTES)
    if (is_image_of(page, address, image)) return true;
  return false;
}

typedef struct mark {
  uint32_t segments, flags;  // of the segments in which it may be
  size_t alignment;
  uint64_t words[2], bits[2];  // what it has in those bits
} mark;

// The note with the build's id, which -buildid= leaves out, and the start of the build's description. The linker keeps
// both with a library's or an archive's code, and strip leaves them.
static const mark marks[] = {
    {PT_NOTE, 0, 4, {4, 0x00006f4700000004}, {0xffffffff, ~0ull}},
    {PT_LOAD, PF_W, 16, {0x697562206f4720ff, 0x3a666e69646c}, {~0ull, 0xffffffffffff}},
};

static bool has_between(uintptr_t low, uintptr_t high, const mark *mark) {
  for (uintptr_t page = low & ~(uintptr_t)(PAGE_BYTES - 1); page < high; page += PAGE_BYTES)
    if (!is_readable(page)) return false;
  uintptr_t at = (low + mark->alignment - 1) & ~(uintptr_t)(mark->alignment - 1);
  for (; at < high && high - at >= sizeof mark->words; at += mark->alignment) {
    uint64_t words[2];
    cgr_copy(words, (const void *)at, sizeof words);
    if ((words[0] & mark->bits[0]) == mark->words[0] && (words[1] & mark->bits[1]) == mark->words[1]) return true;
  }
  return false;
}

static bool is_gos(const image *image) {
  for (size_t i = 0; i < sizeof marks / sizeof *marks; ++i)
    for (size_t j = 0; j < image->count; ++j) {
      const ElfW(Phdr) *segment = &image->segments[j];
      uintptr_t start = image->bias + segment->p_vaddr;
      bool may_be = segment->p_type == marks[i].segments && (segment->p_flags & marks[i].flags) == marks[i].flags;
      if (may_be && has_between(start, start + segment->p_filesz, &marks[i])) return true;
    }
  return false;
}

void cph_note_go_handler(const struct sigaction *action) {
  static _Atomic uintptr_t last;  // that was none of Go's
  if (cph_asks_kernel_for_stack || !is_set_as_gos(action)) return;
  uintptr_t handler = (uintptr_t)action->sa_sigaction;
  if (handler == atomic_load_explicit(&last, memory_order_relaxed)) return;
  image image;
  if (find_handlers_image(handler, &image) && is_gos(&image))
    cph_asks_kernel_for_stack = true;
  else
    atomic_store_explicit(&last, handler, memory_order_relaxed);
}
