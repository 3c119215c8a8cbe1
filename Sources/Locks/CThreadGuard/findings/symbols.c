// Names of functions from ELF symbol tables. System calls and functions of strings only.

#include "findings/symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>

#include "CGround/syscalls.h"
#include "CGround/text.h"

static bool read_at(int fd, uint64_t offset, void *out, size_t size) {
  return cgr_syscall4(SYS_pread64, fd, out, size, offset) == (long)size;
}

// --- One file --------------------------------------------------------------------------------------------------

struct table {
  uint64_t offset, size;  // of the symbols
  uint64_t names_offset, names_size;
};

// The full table if the file has one, else that of the exported symbols.
static bool find_table(int fd, struct table *table) {
  ElfW(Ehdr) header;
  if (!read_at(fd, 0, &header, sizeof header) || memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return false;
  if (header.e_shentsize != sizeof(ElfW(Shdr))) return false;
  bool found = false;
  for (unsigned i = 0; i < header.e_shnum; ++i) {
    ElfW(Shdr) section, names;
    if (!read_at(fd, header.e_shoff + i * sizeof section, &section, sizeof section)) break;
    if (section.sh_type != SHT_SYMTAB && (found || section.sh_type != SHT_DYNSYM)) continue;
    if (section.sh_entsize != sizeof(ElfW(Sym))) continue;
    if (!read_at(fd, header.e_shoff + section.sh_link * sizeof names, &names, sizeof names)) continue;
    *table = (struct table){section.sh_offset, section.sh_size, names.sh_offset, names.sh_size};
    found = true;
    if (section.sh_type == SHT_SYMTAB) break;
  }
  return found;
}

static void read_name(int fd, const struct table *table, uint32_t at, ctg_symbol *symbol) {
  if (at >= table->names_size) return;
  uint64_t left = table->names_size - at;
  size_t size = left < sizeof symbol->name ? left : sizeof symbol->name - 1;
  if (read_at(fd, table->names_offset + at, symbol->name, size))
    symbol->name[size < sizeof symbol->name ? size : sizeof symbol->name - 1] = 0;
  else
    symbol->name[0] = 0;
}

static void match(int fd, const struct table *table, const ElfW(Sym) * entry, uint64_t bias, ctg_symbol *symbols,
                  size_t count) {
  uint64_t start = bias + entry->st_value, end = start + entry->st_size;
  size_t low = 0, high = count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (symbols[middle].address < start)
      low = middle + 1;
    else
      high = middle;
  }
  for (; low < count && symbols[low].address < end; ++low)
    if (!symbols[low].name[0]) read_name(fd, table, entry->st_name, &symbols[low]);
}

void ctg_symbols_find(const crp_images *images, const crp_image *image, ctg_symbol *symbols, size_t count) {
  for (size_t i = 0; i < count; ++i) symbols[i].name[0] = 0;
  const char *path = crp_image_path(images, image);
  int fd = (int)cgr_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0) return;
  struct table table;
  if (find_table(fd, &table)) {
    static ElfW(Sym) entries[2048];
    for (uint64_t at = 0; at < table.size;) {
      long size = cgr_syscall4(SYS_pread64, fd, entries, sizeof entries, table.offset + at);
      if (size < (long)sizeof *entries) break;
      size_t read = (size_t)size / sizeof *entries;
      uint64_t left = (table.size - at) / sizeof *entries;
      if (read > left) read = left;
      for (size_t i = 0; i < read; ++i) {
        bool is_function = ELF64_ST_TYPE(entries[i].st_info) == STT_FUNC && entries[i].st_size > 0;
        if (is_function && entries[i].st_shndx != SHN_UNDEF)
          match(fd, &table, &entries[i], image->load_bias, symbols, count);
      }
      if (read == 0) break;
      at += read * sizeof *entries;
    }
  }
  cgr_syscall1(SYS_close, fd);
}

// --- Plain names -----------------------------------------------------------------------------------------------

void ctg_symbol_plain_name(const char *mangled, char *plain, size_t capacity) {
  cgr_text text = {.bytes = plain, .capacity = capacity};
  bool is_swift = cgr_starts_with(mangled, "$s") || cgr_starts_with(mangled, "$S");
  bool is_cpp = cgr_starts_with(mangled, "_Z");
  const char *end = mangled + strlen(mangled);
  for (const char *at = mangled + 2; (is_swift || is_cpp) && at < end;) {
    // A name is its length and then itself; a length with a 0 before it is of one with abbreviated words.
    bool is_name = *at >= '1' && *at <= '9';
    if (*at == '0') {
      while (at < end && *at >= '0' && *at <= '9') ++at;
      continue;
    }
    if (!is_name) {
      ++at;
      continue;
    }
    uint64_t length = cgr_parse_number(&at, end, 10);
    if (length > (uint64_t)(end - at)) break;
    if (text.size > 0) cgr_text_string(&text, is_swift ? "." : "::");
    cgr_text_bytes(&text, at, length);
    at += length;
  }
  cgr_text_terminated(&text);
}
