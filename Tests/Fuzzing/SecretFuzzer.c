// Masks the credentials of a text, with memory of exactly its size: AddressSanitizer sees any byte too many.
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "CSecrets.h"

static void check(csec_safe_text text, const char *from, size_t size, const char *room, size_t capacity) {
  bool is_itself = text.bytes == from && text.size == size;
  if (!is_itself && (text.bytes != room || text.size > capacity)) abort();
}

static void mask_arguments(const char *text, size_t size, char *room, size_t capacity) {
  csec_arguments arguments = {0};
  for (size_t at = 0, end; at < size; at = end + 1) {
    for (end = at; end < size && text[end] != '\n'; end++) {
    }
    csec_safe_text masked = csec_argument_without_secrets(text + at, end - at, &arguments, room, capacity);
    check(masked, text + at, end - at, room, capacity);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + !size);
  if (size > 0) memcpy(text, data, size);
  size_t capacities[] = {size * 4 + 8, size / 2 + 1, 17};
  for (int i = 0; i < 3; i++) {
    size_t capacity = capacities[i];
    char *room = malloc(capacity), *other = malloc(capacity);
    csec_safe_text whole = csec_whole_without_secrets(text, size, room, capacity);
    check(whole, text, size, room, capacity);
    csec_safe_text cut = csec_without_secrets(text, size, other, capacity);
    check(cut, text, size, other, capacity);
    // The handler and crashsym show the same, up to where the handler stops looking.
    bool is_same = whole.size == cut.size && memcmp(whole.bytes, cut.bytes, cut.size) == 0;
    if (size <= CSEC_SECRET_TEXT_MAX && !is_same) abort();
    mask_arguments(text, size, room, capacity);
    free(room);
    free(other);
  }
  csec_key_is_secret(text, size);
  csec_variable_is_secret(text, size / 2, text + size / 2, size - size / 2);
  free(text);
  return 0;
}
