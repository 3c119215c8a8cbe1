// What the images of the program refer to. Reads their symbol tables as the loader has mapped them.

#include "life/unseen_locks.h"

#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

// The compiler inlines lock() and unlock() of a Mutex. What remains are calls of its slow ways.
static const char handle[] = "$s15Synchronization12_MutexHandleV";
// What those say, in a program that has them inside itself.
static const char trap[] = "Recursive call to lock Mutex";

// --- Bytes in the program ----------------------------------------------------------------------------------------

struct bytes {
  const void *start;
  size_t size;
  bool found;
};

static bool is_runtime(const char *path) {
  static const char *const beginnings[] = {"libswift",   "libFoundation", "lib_Foundation",
                                           "libTesting", "lib_Testing",   "linux-vdso"};
  const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
  for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; ++i)
    if (strncmp(name, beginnings[i], strlen(beginnings[i])) == 0) return true;
  return false;
}

static void find_in_image(const struct dl_phdr_info *info, struct bytes *bytes) {
  for (int i = 0; i < info->dlpi_phnum && !bytes->found; ++i) {
    const ElfW(Phdr) *header = &info->dlpi_phdr[i];
    if (header->p_type != PT_LOAD || !(header->p_flags & PF_R)) continue;
    const void *start = (const void *)(info->dlpi_addr + header->p_vaddr);
    bytes->found = memmem(start, header->p_filesz, bytes->start, bytes->size) != NULL;
  }
}

static int find_in_program(struct dl_phdr_info *info, size_t size, void *bytes) {
  (void)size;
  find_in_image(info, bytes);
  return 1;
}

static int find_anywhere(struct dl_phdr_info *info, size_t size, void *argument) {
  struct bytes *bytes = argument;
  (void)size;
  if (!is_runtime(info->dlpi_name)) find_in_image(info, bytes);
  return bytes->found;
}

bool ctg_program_holds(const void *bytes, size_t size) {
  struct bytes wanted = {.start = bytes, .size = size};
  dl_iterate_phdr(find_in_program, &wanted);
  return wanted.found;
}

// --- Symbols of other images ---------------------------------------------------------------------------------------

struct symbols {
  const ElfW(Sym) * entries;
  const char *names;
  size_t names_size;
  const uint32_t *gnu_hash, *hash;
};

// The loader has made addresses of what the file has as offsets, except in the kernel's own image.
static const void *in_image(const struct dl_phdr_info *info, ElfW(Addr) value) {
  return (const void *)(value < info->dlpi_addr ? value + info->dlpi_addr : value);
}

static struct symbols symbols_of(const struct dl_phdr_info *info) {
  struct symbols symbols = {0};
  const ElfW(Dyn) *dynamic = NULL;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_DYNAMIC)
      dynamic = (const ElfW(Dyn) *)(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr);
  for (; dynamic && dynamic->d_tag != DT_NULL; ++dynamic) {
    const void *value = in_image(info, dynamic->d_un.d_ptr);
    if (dynamic->d_tag == DT_SYMTAB) symbols.entries = value;
    if (dynamic->d_tag == DT_STRTAB) symbols.names = value;
    if (dynamic->d_tag == DT_STRSZ) symbols.names_size = dynamic->d_un.d_val;
    if (dynamic->d_tag == DT_GNU_HASH) symbols.gnu_hash = value;
    if (dynamic->d_tag == DT_HASH) symbols.hash = value;
  }
  return symbols;
}

// A table of GNU's kind has undefined symbols before those that it finds. If it finds none, the names show the end:
// they come after the symbols, with little in between.
static size_t count_of(const struct symbols *symbols) {
  if (symbols->hash) return symbols->hash[1];
  if (!symbols->gnu_hash) return 0;
  uintptr_t start = (uintptr_t)symbols->entries, end = (uintptr_t)symbols->names;
  if (symbols->gnu_hash[1] > 1) return symbols->gnu_hash[1];
  return end > start ? (end - start) / sizeof *symbols->entries : 0;
}

static int find_reference(struct dl_phdr_info *info, size_t size, void *found) {
  (void)size;
  if (is_runtime(info->dlpi_name)) return 0;
  struct symbols symbols = symbols_of(info);
  if (!symbols.entries || !symbols.names) return 0;
  size_t count = count_of(&symbols);
  for (size_t i = 1; i < count && !*(bool *)found; ++i) {
    const ElfW(Sym) *symbol = &symbols.entries[i];
    *(bool *)found = symbol->st_shndx == SHN_UNDEF && symbol->st_name + sizeof handle <= symbols.names_size
                     && memcmp(symbols.names + symbol->st_name, handle, sizeof handle - 1) == 0;
  }
  return *(bool *)found;
}

bool ctg_uses_swift_mutex(bool is_static) {
  bool found = false;
  dl_iterate_phdr(find_reference, &found);
  return found || (is_static && ctg_program_holds(trap, sizeof trap - 1));
}

// --- Locks of other languages --------------------------------------------------------------------------------------

// What only an image with such locks says of a panic, of a lock and of itself. The first character stands alone, so
// that this image does not hold the text.
static const struct {
  const char *whose;
  char first;
  const char *others;
} unseen[] = {
    {"Rust's", 'p', "anicked while processing panic"},
    {"abseil's", 't', "hread should hold at least a read lock on Mutex"},
    {"Java's", 'J', "ava Virtual Machine Specification"},
};

void ctg_name_unseen_locks(char *text, size_t size) {
  *text = 0;
  for (size_t i = 0; i < sizeof unseen / sizeof *unseen; ++i) {
    char mark[64] = {unseen[i].first};
    strncat(mark, unseen[i].others, sizeof mark - 2);
    struct bytes wanted = {.start = mark, .size = strlen(mark)};
    dl_iterate_phdr(find_anywhere, &wanted);
    size_t used = strlen(text);
    if (wanted.found) snprintf(text + used, size - used, "%s%s", used > 0 ? ", " : "", unseen[i].whose);
  }
}
