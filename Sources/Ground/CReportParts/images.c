// The image table. In a handler: system calls, _dl_find_object (lock-free by its contract, glibc manual
// "Dynamic Linker Introspection") and memory reads that cannot fault.

#include "CReportParts/images.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/uio.h>

#include "CGround/look_up.h"
#include "CGround/memory.h"
#include "CGround/program_path.h"
#include "CGround/text.h"

#define MAX_PROGRAM_HEADERS 64

static int (*find_object)(void *, struct dl_find_object *);
static uint64_t main_program_headers;
// At install the loader's lock keeps every image in its place: its memory is then read as it lies there.
static _Thread_local __attribute__((tls_model("initial-exec"))) bool loader_is_locked;

static size_t read_memory(uint64_t address, void *out, size_t size) {
  if (!loader_is_locked) return cgr_memory_read(address, out, size);
  cgr_copy(out, (const void *)(uintptr_t)address, size);
  return size;
}

// --- Reading one image ---------------------------------------------------------------------------------------

static uint32_t keep_text(crp_images *images, const char *text) {
  size_t size = cgr_length(text) + 1;
  if (size > sizeof images->text - images->text_size) return 0;
  uint32_t at = (uint32_t)images->text_size;
  cgr_copy(images->text + at, text, size);
  images->text_size += size;
  return at;
}

static bool is_elf_header(uint64_t address) {
  uint8_t magic[SELFMAG];
  return address != 0 && cgr_memory_read(address, magic, SELFMAG) == SELFMAG && magic[0] == ELFMAG0
         && magic[1] == ELFMAG1 && magic[2] == ELFMAG2 && magic[3] == ELFMAG3;
}

// Where the headers are mapped. The program's own lie on the page of its program headers: where its segments have a
// hole between them, _dl_find_object answers with the segment that was asked about (seen with glibc 2.36 and gold).
static uint64_t base_of(uint64_t dynamic, uint64_t load_bias, bool is_program) {
  uint64_t headers_page = main_program_headers & ~(uint64_t)4095;
  if (is_program && is_elf_header(headers_page)) return headers_page;
  // Tools that edit programs move the program headers away from there.
  if (is_program && is_elf_header(load_bias)) return load_bias;
  struct dl_find_object found;
  bool is_found = find_object && find_object((void *)(uintptr_t)dynamic, &found) == 0;
  // The kernel maps the loader with such a hole if its segments are aligned to more than a page, as on aarch64.
  if (is_found && is_elf_header((uintptr_t)found.dlfo_map_start)) return (uintptr_t)found.dlfo_map_start;
  return is_elf_header(load_bias) ? load_bias : 0;
}

static void read_build_id(crp_image *image, uint64_t notes, uint64_t size) {
  uint8_t buffer[1024];
  if (size > sizeof buffer) size = sizeof buffer;
  size = read_memory(notes, buffer, size);
  for (uint64_t at = 0; at + sizeof(ElfW(Nhdr)) <= size;) {
    ElfW(Nhdr) note;
    cgr_copy(&note, buffer + at, sizeof note);
    uint64_t name = at + sizeof note;
    uint64_t bytes = name + ((uint64_t)note.n_namesz + 3) / 4 * 4;
    if (bytes > size || note.n_descsz > size - bytes) return;
    bool gnu = note.n_namesz == 4 && buffer[name] == 'G' && buffer[name + 1] == 'N' && buffer[name + 2] == 'U';
    if (gnu && note.n_type == NT_GNU_BUILD_ID && note.n_descsz <= CRP_BUILD_ID_MAX) {
      cgr_copy(image->build_id, buffer + bytes, note.n_descsz);
      image->build_id_size = (uint8_t)note.n_descsz;
      return;
    }
    at = bytes + ((uint64_t)note.n_descsz + 3) / 4 * 4;
  }
}

// .eh_frame_hdr: version 1, a pointer to .eh_frame, a 4-byte count and a sorted table relative to the header
// (LSB Core, 10.6.2). Linkers write no other shape; if one does, its frames fall back to frame pointers.
static void read_frame_header(crp_image *image) {
  struct {
    uint8_t version, frame_pointer_encoding, count_encoding, table_encoding;
    int32_t frame;
    uint32_t count;
  } header;
  if (read_memory(image->eh_frame_header, &header, sizeof header) < sizeof header) return;
  bool usual = header.version == 1 && (header.frame_pointer_encoding & 0x0f) == 0x0b && header.count_encoding == 0x03
               && header.table_encoding == 0x3b;
  uint64_t table = image->eh_frame_header + sizeof header;
  if (!usual || (uint64_t)header.count * 8 > image->eh_segment_end - table) return;
  image->fde_table = table;
  image->fde_count = header.count;
}

static bool read_image(crp_image *image, uint64_t dynamic, uint64_t load_bias, bool is_program) {
  cgr_zero(image, sizeof *image);
  image->dynamic = dynamic;
  image->base = base_of(dynamic, load_bias, is_program);
  if (image->base == 0) return false;
  image->load_bias = load_bias;
  ElfW(Ehdr) header;
  if (read_memory(image->base, &header, sizeof header) < sizeof header) return false;
  bool is_elf = header.e_ident[EI_MAG0] == ELFMAG0 && header.e_ident[EI_MAG1] == ELFMAG1
                && header.e_ident[EI_MAG2] == ELFMAG2 && header.e_ident[EI_MAG3] == ELFMAG3;
  if (!is_elf || header.e_phentsize != sizeof(ElfW(Phdr))) return false;
  ElfW(Phdr) segments[MAX_PROGRAM_HEADERS];
  size_t wanted = header.e_phnum < MAX_PROGRAM_HEADERS ? header.e_phnum : MAX_PROGRAM_HEADERS;
  size_t got = read_memory(image->base + header.e_phoff, segments, wanted * sizeof *segments) / sizeof *segments;

  for (size_t i = 0; i < got; ++i) {
    const ElfW(Phdr) *s = &segments[i];
    uint64_t start = load_bias + s->p_vaddr, end = start + s->p_memsz;
    if (s->p_type == PT_LOAD) {
      if (end > image->end) image->end = end;
      if (!(s->p_flags & PF_X)) continue;
      if (end > image->end_of_text) image->end_of_text = end;
      if (image->text_segment_start != 0) continue;
      image->text_segment_start = start;
      image->text_segment_end = end;
    } else if (s->p_type == PT_GNU_EH_FRAME) {
      image->eh_frame_header = start;
    } else if (s->p_type == PT_NOTE && image->build_id_size == 0) {
      read_build_id(image, start, s->p_memsz);
    }
  }
  for (size_t i = 0; i < got && image->eh_frame_header != 0; ++i) {
    const ElfW(Phdr) *s = &segments[i];
    uint64_t start = load_bias + s->p_vaddr;
    if (s->p_type != PT_LOAD || !(s->p_flags & PF_R)) continue;
    if (image->eh_frame_header < start || image->eh_frame_header >= start + s->p_filesz) continue;
    image->eh_segment_start = start;
    image->eh_segment_end = start + s->p_filesz;
    read_frame_header(image);
  }
  return image->end > image->base;
}

// --- The table -----------------------------------------------------------------------------------------------

static void insert(crp_images *images, const crp_image *image) {
  if (images->count == CRP_IMAGES_MAX) {
    ++images->omitted;
    return;
  }
  size_t at = images->count;
  for (; at > 0 && images->entries[at - 1].base > image->base; --at)
    cgr_copy(&images->entries[at], &images->entries[at - 1], sizeof *image);
  cgr_copy(&images->entries[at], image, sizeof *image);
  ++images->count;
}

static void remove_at(crp_images *images, size_t at) {
  --images->count;
  for (; at < images->count; ++at) cgr_copy(&images->entries[at], &images->entries[at + 1], sizeof(crp_image));
}

static void name_image(crp_images *images, crp_image *image, const char *name, uint32_t program) {
  if (program != 0 && name[0] == 0) {
    image->path = program;
    return;
  }
  if (cgr_starts_with(name, "linux-vdso") || cgr_starts_with(name, "linux-gate")) name = "[vdso]";
  image->path = keep_text(images, name);
}

// A piece at a time: what lies behind a short name may not be readable.
static size_t read_name(uint64_t address, char *out, size_t capacity) {
  size_t size = 0;
  if (loader_is_locked) {
    size = cgr_length((const char *)(uintptr_t)address);
    if (size >= capacity) size = capacity - 1;
    cgr_copy(out, (const char *)(uintptr_t)address, size);
    return size;
  }
  return cgr_memory_read(address, out, capacity - 1);
}

// `program` is the kept path of the program, for its entry, which comes first; 0 for all others.
static void add(crp_images *images, uint64_t link_map, const struct link_map *map, uint32_t program) {
  crp_image image;
  if (!read_image(&image, (uintptr_t)map->l_ld, map->l_addr, program != 0)) return;
  image.link_map = link_map;
  char name[PATH_MAX];
  name[0] = 0;
  size_t got = map->l_name ? read_name((uintptr_t)map->l_name, name, sizeof name) : 0;
  name[got] = 0;
  name_image(images, &image, name, program);
  insert(images, &image);
}

static void clear(crp_images *images) {
  images->count = images->omitted = 0;
  images->text[0] = 0;
  images->text_size = 1;
}

// Off the stack again before the images are read.
static __attribute__((noinline)) uint32_t keep_program(crp_images *images) {
  char path[PATH_MAX];
  cgr_program_path(path);
  return keep_text(images, path);
}

static void build(crp_images *images) {
  clear(images);
  uint32_t program = keep_program(images);
  uint64_t at = (uintptr_t)_r_debug.r_map;
  for (int i = 0; at != 0 && i < 4 * CRP_IMAGES_MAX; ++i) {
    struct link_map map;
    if (read_memory(at, &map, sizeof map) < sizeof map) break;
    add(images, at, &map, i == 0 ? program : 0);
    at = (uintptr_t)map.l_next;
  }
}

static int build_under_lock(struct dl_phdr_info *info, size_t size, void *images) {
  (void)info;
  (void)size;
  loader_is_locked = true;
  build(images);
  loader_is_locked = false;
  return 1;
}

void crp_images_prepare(crp_images *images) {
  if (main_program_headers == 0) {
    find_object = (int (*)(void *, struct dl_find_object *))cgr_look_up(RTLD_DEFAULT, "_dl_find_object");
    main_program_headers = getauxval(AT_PHDR);
  }
  dl_iterate_phdr(build_under_lock, images);
  for (size_t i = 0; i < images->count; ++i) {
    const char *path = crp_image_path(images, &images->entries[i]);
    // A relative path says nothing once the program changes its folder. A name alone is no path.
    bool has_folder = crp_image_name(images, &images->entries[i]) != path;
    if (path[0] == '[' || path[0] == '/' || !has_folder) continue;
    char absolute[PATH_MAX];
    if (realpath(path, absolute)) images->entries[i].path = keep_text(images, absolute);
  }
}

// If it is not there (glibc before 2.35), the address is null.
extern int _dl_find_object(void *, struct dl_find_object *) __attribute__((weak));

void crp_images_read(crp_images *images) {
  if (!find_object) find_object = _dl_find_object;
  if (main_program_headers == 0) main_program_headers = getauxval(AT_PHDR);
  build(images);
}

// Which of the loader's entries are known, read a batch at a time: one system call for many link maps.
static bool unchanged(const crp_images *images) {
  struct link_map maps[64];
  struct iovec from[64];
  size_t seen = 0;
  for (size_t start = 0; start < images->count; start += 64) {
    size_t n = images->count - start < 64 ? images->count - start : 64;
    for (size_t i = 0; i < n; ++i)
      from[i] = (struct iovec){(void *)(uintptr_t)images->entries[start + i].link_map, sizeof *maps};
    if (cgr_memory_read_pieces(from, n, maps, n * sizeof *maps) < n * sizeof *maps) return false;
    for (size_t i = 0; i < n; ++i) {
      if ((uintptr_t)maps[i].l_ld != images->entries[start + i].dynamic) return false;
      bool known = maps[i].l_next == NULL;
      for (size_t k = 0; k < images->count && !known; ++k)
        known = images->entries[k].link_map == (uintptr_t)maps[i].l_next;
      if (!known) return false;
    }
    seen += n;
  }
  return seen > 0;
}

void crp_images_refresh(crp_images *images) {
  if (unchanged(images)) return;
  // Entries that went away leave; entries that came are read; the others keep their absolute paths.
  bool present[CRP_IMAGES_MAX] = {false};
  uint64_t fresh[128];
  size_t fresh_count = 0;
  uint64_t at = (uintptr_t)_r_debug.r_map;
  for (int i = 0; at != 0 && i < 4 * CRP_IMAGES_MAX; ++i) {
    struct link_map map;
    if (read_memory(at, &map, sizeof map) < sizeof map) break;
    bool known = false;
    for (size_t k = 0; k < images->count && !known; ++k) {
      known = images->entries[k].link_map == at && images->entries[k].dynamic == (uintptr_t)map.l_ld;
      if (known) present[k] = true;
    }
    if (!known) {
      if (fresh_count < 128)
        fresh[fresh_count++] = at;
      else
        ++images->omitted;
    }
    at = (uintptr_t)map.l_next;
  }
  for (size_t k = images->count; k > 0; --k)
    if (!present[k - 1]) remove_at(images, k - 1);
  for (size_t i = 0; i < fresh_count; ++i) {
    struct link_map map;
    if (read_memory(fresh[i], &map, sizeof map) < sizeof map) continue;
    add(images, fresh[i], &map, 0);
  }
}

const crp_image *crp_image_at(const crp_images *images, uint64_t address) {
  size_t low = 0, high = images->count;
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (images->entries[middle].base <= address)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == 0) return NULL;
  const crp_image *image = &images->entries[low - 1];
  return address < image->end ? image : NULL;
}

const char *crp_image_path(const crp_images *images, const crp_image *image) { return images->text + image->path; }

const char *crp_image_name(const crp_images *images, const crp_image *image) {
  const char *path = crp_image_path(images, image);
  const char *name = path;
  for (; *path; ++path)
    if (*path == '/') name = path + 1;
  return name;
}

const crp_image *crp_image_of_program(const crp_images *images) { return crp_image_at(images, main_program_headers); }
