// A type's descriptor has its name and its parent: the type or the module around it (swift,
// include/swift/ABI/Metadata.h and MetadataValues.h). Reads through cgr_memory_read.

#include "throws/type_name.h"

#include <stdbool.h>
#include <stddef.h>

#include "CGround/memory.h"

// Kinds of metadata. That of a class is 0.
#define METADATA_CLASS 0
#define METADATA_STRUCT 0x200
#define METADATA_ENUM 0x201
// Where metadata points to the type's descriptor.
#define DESCRIPTOR_OF_VALUE 8
#define DESCRIPTOR_OF_CLASS 40
// A descriptor: flags, then the parent and the name, both as distances from where they stand.
#define DESCRIPTOR_PARENT 4
#define DESCRIPTOR_NAME 8
#define DESCRIPTOR_KIND 0x1fu
#define KIND_MODULE 0
#define KIND_FIRST_TYPE 16
#define KIND_LAST_TYPE 31

#define KIND_CLASS 16
// Where a class's metadata has the size of an object, and the least that one has: the metadata, and counts.
#define INSTANCE_SIZE_OF_CLASS 24
#define OBJECT_LEAST 16

#define NESTED_MAX 8
#define NAME_MAX_BYTES 64

typedef struct part {
  char bytes[NAME_MAX_BYTES];
  size_t size;
} part;

static uint64_t pointer_at(uint64_t address) {
  uint64_t word = 0;
  return cgr_memory_read(address, &word, sizeof word) == sizeof word ? word : 0;
}

// A distance of 0 points nowhere.
static uint64_t target_of(uint64_t address) {
  int32_t distance = 0;
  if (cgr_memory_read(address, &distance, sizeof distance) < sizeof distance || distance == 0) return 0;
  return address + (uint64_t)(int64_t)distance;
}

// The distance to a parent may be odd: then it points to a word that holds the address.
static uint64_t parent_of(uint64_t descriptor) {
  uint64_t target = target_of(descriptor + DESCRIPTOR_PARENT);
  return target & 1 ? pointer_at(target - 1) : target;
}

static uint64_t descriptor_of(uint64_t metadata) {
  uint64_t kind = 0;
  if (cgr_memory_read(metadata, &kind, sizeof kind) < sizeof kind) return 0;
  if (kind == METADATA_CLASS) return pointer_at(metadata + DESCRIPTOR_OF_CLASS);
  return kind == METADATA_STRUCT || kind == METADATA_ENUM ? pointer_at(metadata + DESCRIPTOR_OF_VALUE) : 0;
}

static bool read_name(uint64_t descriptor, part *name) {
  uint64_t text = target_of(descriptor + DESCRIPTOR_NAME);
  size_t got = text ? cgr_memory_read(text, name->bytes, sizeof name->bytes) : 0;
  name->size = 0;
  while (name->size < got && name->bytes[name->size]) ++name->size;
  return name->size > 0;
}

void ck_type_name_write(uint64_t metadata, cgr_text *text) {
  part names[NESTED_MAX];
  size_t count = 0;
  uint64_t descriptor = descriptor_of(metadata);
  for (int i = 0; i < NESTED_MAX && descriptor != 0 && count < NESTED_MAX; ++i) {
    uint32_t flags = 0;
    if (cgr_memory_read(descriptor, &flags, sizeof flags) < sizeof flags) break;
    uint32_t kind = flags & DESCRIPTOR_KIND;
    bool is_named = kind == KIND_MODULE || (kind >= KIND_FIRST_TYPE && kind <= KIND_LAST_TYPE);
    if (is_named && read_name(descriptor, &names[count])) ++count;
    descriptor = kind == KIND_MODULE ? 0 : parent_of(descriptor);
  }
  while (count-- > 0) {
    cgr_text_bytes(text, names[count].bytes, names[count].size);
    if (count > 0) cgr_text_string(text, ".");
  }
}

// Memory of C may begin with any word.
static bool is_class(uint64_t metadata, uint64_t size) {
  uint64_t kind;
  uint32_t object_size, flags;
  return metadata % sizeof kind == 0 && cgr_memory_read(metadata, &kind, sizeof kind) == sizeof kind
         && kind == METADATA_CLASS
         && cgr_memory_read(metadata + INSTANCE_SIZE_OF_CLASS, &object_size, sizeof object_size) == sizeof object_size
         && object_size >= OBJECT_LEAST && object_size <= size
         && cgr_memory_read(descriptor_of(metadata), &flags, sizeof flags) == sizeof flags
         && (flags & DESCRIPTOR_KIND) == KIND_CLASS;
}

void ck_object_type_write(uint64_t first_word, uint64_t size, cgr_text *text) {
  if (is_class(first_word, size)) ck_type_name_write(first_word, text);
}
