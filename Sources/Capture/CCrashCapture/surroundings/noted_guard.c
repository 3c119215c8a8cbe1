// Reads the notes of the program that was started, the first image that the loader lists.

#include "surroundings/noted_guard.h"

#include <link.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "CRendezvous/memory_guard.h"

// Owner and descriptor of a note begin at multiples of this.
static size_t aligned(size_t size) { return (size + 3) / 4 * 4; }

static uint64_t guard_of(const char *descriptor, const ElfW(Nhdr) * note, const char *owner) {
  int64_t distance;
  bool is_ours = note->n_type == CRV_NOTE_OF_MEMORY_GUARD && note->n_namesz == sizeof CRV_NOTE_OWNER
                 && memcmp(owner, CRV_NOTE_OWNER, sizeof CRV_NOTE_OWNER) == 0;
  if (!is_ours || note->n_descsz != sizeof distance) return 0;
  memcpy(&distance, descriptor, sizeof distance);
  return (uintptr_t)descriptor + (uint64_t)distance;
}

static uint64_t guard_in(const char *notes, size_t size) {
  ElfW(Nhdr) note;
  while (size >= sizeof note) {
    memcpy(&note, notes, sizeof note);
    size_t descriptor = sizeof note + aligned(note.n_namesz), end = descriptor + aligned(note.n_descsz);
    if (end > size) return 0;
    uint64_t guard = guard_of(notes + descriptor, &note, notes + sizeof note);
    if (guard != 0) return guard;
    notes += end;
    size -= end;
  }
  return 0;
}

static int find_note(struct dl_phdr_info *info, size_t size, void *argument) {
  uint64_t *guard = argument;
  (void)size;
  for (int i = 0; i < info->dlpi_phnum && *guard == 0; ++i) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_NOTE) continue;
    *guard = guard_in((const char *)(uintptr_t)(info->dlpi_addr + segment->p_vaddr), segment->p_memsz);
  }
  return 1;
}

uint64_t ck_noted_guard(void) {
  uint64_t guard = 0;
  dl_iterate_phdr(find_note, &guard);
  return guard;
}
