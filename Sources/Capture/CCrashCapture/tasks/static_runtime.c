// The program's own ELF file: its names first, then its symbols. System calls only.

#include "tasks/static_runtime.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>

#include "CGround/memory.h"
#include "CGround/open_file.h"
#include "CGround/syscalls.h"

typedef struct program_file {
  int fd;
  uint8_t *room;
  size_t room_size;
  ck_time_limit *limit;
  ElfW(Ehdr) header;
  ElfW(Shdr) symbols, names;
} program_file;

static size_t read_piece(const program_file *file, uint64_t offset, void *to, size_t size) {
  long got = cgr_syscall4(SYS_pread64, file->fd, to, size, offset);
  return got > 0 ? (size_t)got : 0;
}

static bool is_late(const program_file *file) { return ck_time_limit_is_over(file->limit); }

// --- Sections --------------------------------------------------------------------------------------------------

static bool read_section(const program_file *file, size_t index, ElfW(Shdr) * section) {
  uint64_t offset = file->header.e_shoff + index * sizeof *section;
  return index < file->header.e_shnum && read_piece(file, offset, section, sizeof *section) == sizeof *section;
}

static bool is_of_swift(const program_file *file, const ElfW(Shdr) * names, const ElfW(Shdr) * section) {
  static const char prefix[] = "swift5_";
  char name[sizeof prefix - 1];
  if (section->sh_name >= names->sh_size) return false;
  if (read_piece(file, names->sh_offset + section->sh_name, name, sizeof name) < sizeof name) return false;
  for (size_t i = 0; i < sizeof name; ++i)
    if (name[i] != prefix[i]) return false;
  return true;
}

static bool find_sections(program_file *file) {
  ElfW(Ehdr) *header = &file->header;
  ElfW(Shdr) names, section;
  if (read_piece(file, 0, header, sizeof *header) < sizeof *header) return false;
  if (header->e_shentsize != sizeof section) return false;
  if (!read_section(file, header->e_shstrndx, &names)) return false;
  bool has_swift = false, has_symbols = false;
  for (size_t i = 0; i < header->e_shnum && read_section(file, i, &section); ++i) {
    has_swift = has_swift || is_of_swift(file, &names, &section);
    if (section.sh_type != SHT_SYMTAB || section.sh_entsize != sizeof(ElfW(Sym))) continue;
    file->symbols = section;
    has_symbols = read_section(file, section.sh_link, &file->names) && file->names.sh_type == SHT_STRTAB;
  }
  return has_swift && has_symbols;
}

// --- Names -----------------------------------------------------------------------------------------------------

// The first eight bytes that all names share.
#define SHARED "_swift_c"
#define NAME_MAX_BYTES 64

static bool is_name(const uint8_t *at, const uint8_t *end, const char *name) {
  while (at < end && *name && *at == (uint8_t)*name) ++at, ++name;
  return at < end && *at == 0 && *name == 0;
}

// Finds the names' places in the table of names. A name that is not there has 0, the place of the empty name.
static bool find_names(const program_file *file, const char *const names[], uint64_t places[CK_WORD_COUNT]) {
  uint64_t shared, word;
  cgr_copy(&shared, SHARED, sizeof shared);
  for (uint64_t offset = 0; offset < file->names.sh_size;) {
    if (is_late(file)) return false;
    uint64_t left = file->names.sh_size - offset;
    size_t wanted = left < file->room_size ? left : file->room_size;
    size_t got = read_piece(file, file->names.sh_offset + offset, file->room, wanted);
    for (size_t at = 0; at + sizeof word <= got; ++at) {
      __builtin_memcpy_inline(&word, file->room + at, 8);
      if (word != shared) continue;
      for (size_t i = 0; i < CK_WORD_COUNT; ++i)
        if (is_name(file->room + at, file->room + got, names[i])) places[i] = offset + at;
    }
    if (got <= NAME_MAX_BYTES || got < wanted) break;
    // A name that the piece cuts in two is whole in the next one.
    offset += got == left ? left : got - NAME_MAX_BYTES;
  }
  return true;
}

static bool find_symbols(const program_file *file, const uint64_t places[], uint64_t addresses[CK_WORD_COUNT]) {
  const ElfW(Sym) *symbols = (const ElfW(Sym) *)(const void *)file->room;
  size_t piece = file->room_size / sizeof *symbols * sizeof *symbols;
  for (uint64_t offset = 0; offset < file->symbols.sh_size; offset += piece) {
    if (is_late(file)) return false;
    uint64_t left = file->symbols.sh_size - offset;
    size_t got = read_piece(file, file->symbols.sh_offset + offset, file->room, left < piece ? left : piece);
    for (size_t at = 0; at < got / sizeof *symbols; ++at)
      for (size_t i = 0; i < CK_WORD_COUNT; ++i)
        if (places[i] != 0 && symbols[at].st_name == places[i] && symbols[at].st_shndx != SHN_UNDEF)
          addresses[i] = symbols[at].st_value;
    if (got < piece) break;
  }
  return true;
}

bool ck_static_runtime_find(const crp_images *images, const char *const names[CK_WORD_COUNT],
                            uint64_t addresses[CK_WORD_COUNT], uint8_t *room, size_t size, ck_time_limit *limit) {
  // Symbols are read in place.
  size_t skipped = -(uintptr_t)room % _Alignof(ElfW(Sym));
  program_file file = {.room = room + skipped, .room_size = size - skipped, .limit = limit};
  const crp_image *program = crp_image_of_program(images);
  cgr_zero(addresses, CK_WORD_COUNT * sizeof *addresses);
  file.fd = program ? (int)cgr_open(AT_FDCWD, "/proc/self/exe", O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0) : -1;
  if (file.fd < 0) return false;
  uint64_t places[CK_WORD_COUNT] = {0};
  bool is_done = find_sections(&file) && find_names(&file, names, places) && find_symbols(&file, places, addresses);
  cgr_syscall1(SYS_close, file.fd);
  for (size_t i = 0; i < CK_WORD_COUNT; ++i)
    if (addresses[i] != 0) addresses[i] += program->load_bias;
  return is_done;
}
