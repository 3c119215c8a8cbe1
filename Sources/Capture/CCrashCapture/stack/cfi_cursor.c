// libunwind's generic side. Its frame-state cache is one table that only the capturing thread uses; it is a fixed array
// inside the address space, so a look-up allocates nothing once ck_unwind_prepare has run. Its locks: unwinder_locks.h.

#include "stack/cfi_cursor.h"

#include <dlfcn.h>
#include <libunwind.h>
#include <stddef.h>

#include "CGround/look_up.h"
#include "CGround/memory.h"
#include "stack/fde.h"
#include "stack/unwinder_locks.h"

#define NAME_OF(symbol) STRINGIFY(symbol)
#define STRINGIFY(text) #text

#if defined(__x86_64__)
#define LIBRARY "libunwind-x86_64.so.8"
#elif defined(__aarch64__)
#define LIBRARY "libunwind-aarch64.so.8"
#endif

_Static_assert(sizeof(unw_cursor_t) <= sizeof((ck_cursor){0}.words), "a cursor fits");

// The library may be newer than these headers, and its structures grow: 1.8 reads three functions more from the
// accessors than 1.6 has. In more room, what these headers lack is zero: not there.
#define ROOM_FOR_NEWER 32
static union {
  unw_accessors_t known;
  void *room[ROOM_FOR_NEWER];
} accessors;
_Static_assert(sizeof accessors.known <= sizeof accessors.room, "the accessors fit");

static struct {
  unw_addr_space_t space;
  unw_addr_space_t (*create)(unw_accessors_t *, int);
  int (*init)(unw_cursor_t *, unw_addr_space_t, void *);
  int (*step)(unw_cursor_t *);
  int (*get)(unw_cursor_t *, int, unw_word_t *);
  int (*get_place)(unw_cursor_t *, int, unw_save_loc_t *);
  int (*search)(unw_addr_space_t, unw_word_t, unw_dyn_info_t *, unw_proc_info_t *, int, void *);
  int (*set_caching)(unw_addr_space_t, unw_caching_policy_t);
} library;

// The FDE that is being read, if its function signs its return address. It is read from here, without notes on that.
#define UNSIGNED_FDE_MAX (16 * 1024)
static struct {
  uint64_t start;
  uint32_t size;
  uint8_t bytes[CK_RETURN_ADDRESSES_MAY_BE_SIGNED ? UNSIGNED_FDE_MAX : 8];
} unsigned_fde;

static void choose_fde(const crp_image *image, uint64_t pc) {
  if (!CK_RETURN_ADDRESSES_MAY_BE_SIGNED) return;
  uint32_t capacity = sizeof unsigned_fde.bytes;
  unsigned_fde.start = ck_fde_copy_unsigned(image, pc, unsigned_fde.bytes, capacity, &unsigned_fde.size);
}

// A word that overlaps the chosen FDE, with the FDE's bytes in their places.
static void show_unsigned(uint64_t address, uint64_t *word) {
  if (unsigned_fde.start == 0) return;
  for (uint64_t i = 0; i < sizeof *word; ++i)
    if (address + i - unsigned_fde.start < unsigned_fde.size)
      ((uint8_t *)word)[i] = unsigned_fde.bytes[address + i - unsigned_fde.start];
}

// unw_dyn_info_t. From libunwind 1.6 on, its last part lies a word later. The sources of 2025 take that word out again.
// The library that was opened may have either layout, whichever these headers have.
static union {
  unw_dyn_info_t known;
  struct {
    const void *next, *previous;
    unw_word_t start, end, global_pointer;
    int32_t format, padding;
    unw_word_t table[8];
  } words;
} searched;
enum { NAME, BASE, LENGTH, DATA };

enum { OF_1_6, OF_OTHERS, UNKNOWN };
static uint8_t layout = UNKNOWN;

// libunwind-dynamic.h documents the remote table: base, entries counted in words, where they start.
static int search_table(const crp_image *image, unsigned in, unw_word_t ip, unw_proc_info_t *info, int need,
                        void *source) {
  cgr_zero(&searched, sizeof searched);
  searched.words.format = UNW_INFO_FORMAT_REMOTE_TABLE;
  searched.words.start = image->base;
  searched.words.end = image->end;
  unw_word_t *table = searched.words.table + (in == OF_1_6 ? 1 : 0);
  table[BASE] = image->eh_frame_header;
  table[LENGTH] = image->fde_count * 8 / sizeof(unw_word_t);
  table[DATA] = image->fde_table;
  return library.search(library.space, ip, &searched.known, info, need, source);
}

// The library has the layout by which it finds the function that is there. By the other one it takes a length for an
// address, and finds none.
static int find_layout(const crp_image *image, unw_word_t ip, unw_proc_info_t *info, int need, void *source) {
  int result = -UNW_ENOINFO;
  uint64_t start = ck_fde_function_start(image, ip);
  for (unsigned in = OF_1_6; in < UNKNOWN && start != 0; ++in) {
    result = search_table(image, in, ip, info, need, source);
    if (result >= 0 && info->start_ip == start) {
      layout = (uint8_t)in;
      return result;
    }
  }
  return result < 0 ? result : -UNW_ENOINFO;
}

static int find_proc_info(unw_addr_space_t space, unw_word_t ip, unw_proc_info_t *info, int need, void *argument) {
  (void)space;
  ck_unwind_source *source = argument;
  const crp_image *image = crp_image_at(source->window.images, ip);
  int result = -UNW_ENOINFO;
  choose_fde(image, ip);
  if (image && image->fde_count > 0)
    result = layout == UNKNOWN ? find_layout(image, ip, info, need, argument)
                               : search_table(image, layout, ip, info, need, argument);
  if (result < 0) source->no_information = true;
  return result;
}

static void put_unwind_info(unw_addr_space_t space, unw_proc_info_t *info, void *argument) {
  (void)space;
  (void)info;
  (void)argument;
}

static int no_dynamic_list(unw_addr_space_t space, unw_word_t *address, void *argument) {
  (void)space;
  (void)address;
  (void)argument;
  return -UNW_ENOINFO;
}

static int access_memory(unw_addr_space_t space, unw_word_t address, unw_word_t *word, int write, void *argument) {
  (void)space;
  ck_unwind_source *source = argument;
  if (write) return -UNW_EINVAL;
  uint64_t value;
  if (!ck_window_read(&source->window, address, &value)) return -UNW_EINVAL;
  show_unsigned(address, &value);
  *word = value;
  return 0;
}

static int access_register(unw_addr_space_t space, unw_regnum_t number, unw_word_t *value, int write, void *argument) {
  (void)space;
  ck_unwind_source *source = argument;
  if (write || number < 0 || number > CK_REGISTER_PC) return -UNW_EBADREG;
  *value = source->registers.values[number];
  return 0;
}

static int access_float(unw_addr_space_t space, unw_regnum_t number, unw_fpreg_t *value, int write, void *argument) {
  (void)space;
  (void)number;
  (void)value;
  (void)write;
  (void)argument;
  return -UNW_EBADREG;
}

static int no_resume(unw_addr_space_t space, unw_cursor_t *cursor, void *argument) {
  (void)space;
  (void)cursor;
  (void)argument;
  return -UNW_EINVAL;
}

static int no_name(unw_addr_space_t space, unw_word_t address, char *name, size_t size, unw_word_t *offset,
                   void *argument) {
  (void)space;
  (void)address;
  (void)name;
  (void)size;
  (void)offset;
  (void)argument;
  return -UNW_ENOINFO;
}

bool ck_libunwind_open(void) {
  if (library.space) return true;
  void *handle = cgr_open_library(LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (!handle) return false;
  library.create = (typeof(library.create))cgr_look_up(handle, NAME_OF(UNW_OBJ(create_addr_space)));
  library.init = (typeof(library.init))cgr_look_up(handle, NAME_OF(UNW_OBJ(init_remote)));
  library.step = (typeof(library.step))cgr_look_up(handle, NAME_OF(UNW_OBJ(step)));
  library.get = (typeof(library.get))cgr_look_up(handle, NAME_OF(UNW_OBJ(get_reg)));
  library.get_place = (typeof(library.get_place))cgr_look_up(handle, NAME_OF(UNW_OBJ(get_save_loc)));
  library.search = (typeof(library.search))cgr_look_up(handle, NAME_OF(UNW_OBJ(dwarf_search_unwind_table)));
  library.set_caching = (typeof(library.set_caching))cgr_look_up(handle, NAME_OF(UNW_OBJ(set_caching_policy)));
  if (!library.create || !library.init || !library.step || !library.get || !library.get_place || !library.search
      || !library.set_caching) {
    dlclose(handle);
    return false;
  }
  accessors.known = (unw_accessors_t){.find_proc_info = find_proc_info,
                                      .put_unwind_info = put_unwind_info,
                                      .get_dyn_info_list_addr = no_dynamic_list,
                                      .access_mem = access_memory,
                                      .access_reg = access_register,
                                      .access_fpreg = access_float,
                                      .resume = no_resume,
                                      .get_proc_name = no_name};
  unw_addr_space_t space = library.create(&accessors.known, 0);
  if (!space) return false;
  library.set_caching(space, UNW_CACHE_GLOBAL);
  ck_unwinder_locks_leave_out(handle);
  library.space = space;
  return true;
}

bool ck_libunwind_is_open(void) { return library.space != NULL; }

bool ck_cursor_init(ck_cursor *cursor, ck_unwind_source *source) {
  cursor->source = source;
  return library.init((unw_cursor_t *)cursor, library.space, source) >= 0;
}

static bool get(ck_cursor *cursor, int number, uint64_t *value) {
  unw_word_t word;
  if (library.get((unw_cursor_t *)cursor, number, &word) < 0) return false;
  *value = word;
  return true;
}

#if defined(CK_REGISTER_LR)
// The link register shares its number with UNW_REG_IP, so its value is read where a frame inside has put it.
static bool get_link(ck_cursor *cursor, uint64_t *value) {
  union {
    unw_save_loc_t known;
    void *room[ROOM_FOR_NEWER];
  } place = {0};
  if (library.get_place((unw_cursor_t *)cursor, CK_REGISTER_LR, &place.known) < 0) return false;
  if (place.known.type == UNW_SLT_MEMORY) return ck_window_read(&cursor->source->window, place.known.u.addr, value);
  if (place.known.type != UNW_SLT_REG || place.known.u.regnum > CK_REGISTER_PC) return false;
  *value = cursor->source->registers.values[place.known.u.regnum];
  return true;
}
#endif

int ck_cursor_step(ck_cursor *cursor) {
  cursor->is_behind = false;
  int result = library.step((unw_cursor_t *)cursor);
#if defined(CK_REGISTER_LR)
  // For libunwind 1.8 a frame pointer of 0 ends a stack. One frame more has it: the thread's first.
  uint64_t link;
  cursor->is_behind = result == 0 && get_link(cursor, &link) && link != 0;
#endif
  return cursor->is_behind ? 1 : result;
}

bool ck_cursor_register(ck_cursor *cursor, int number, uint64_t *value) {
#if defined(CK_REGISTER_LR)
  if (number == CK_REGISTER_LR) return get_link(cursor, value);
  if (number == CK_REGISTER_PC) return cursor->is_behind ? get_link(cursor, value) : get(cursor, UNW_REG_IP, value);
#endif
  return get(cursor, number, value);
}

void ck_libunwind_without_cache(void) { library.set_caching(library.space, UNW_CACHE_NONE); }
