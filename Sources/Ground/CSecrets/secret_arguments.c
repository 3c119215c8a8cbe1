// The arguments of a program without their credentials. Calls nothing but the rest of this folder: async-signal-safe.
#include "secret_scan.h"

enum next { ANY, IS_SECRET, IS_USER };

static const void *program_of(const char *argument, size_t size) {
  size_t name = size;
  while (name > 0 && argument[name - 1] != '/') name--;
  return name < size ? csec_program_named(argument + name, size - name) : NULL;
}

// From where on the argument is a secret; its size if nothing of it is.
static size_t secret_start(const char *argument, size_t size, csec_arguments *arguments) {
  bool is_option = size > 1 && argument[0] == '-';
  uint8_t next = arguments->next;
  const struct csec_masking m = {.text = argument, .size = size};
  arguments->next = ANY;
  if (next == IS_SECRET && !is_option) return csec_is_source(argument, size) ? size : 0;
  if (next == IS_USER && csec_is_user_and_password(&m, 0, size)) return 0;
  const void *program = program_of(argument, size);
  if (program) arguments->program = program;
  size_t login = csec_program_takes_login(arguments->program) ? csec_login_end(argument, 0, size) : 0;
  if (login > 0) return 0;
  size_t key = 0, name = 0, length, from;
  while (key < size && csec_is_key(argument[key])) key++;
  while (name < key && argument[name] == '-') name++;
  if (csec_option_has_secret(arguments->program, argument, size, &from)) {
    arguments->next = from > 0 ? ANY : IS_SECRET;
    return from > 0 ? from : size;
  }
  if (is_option && csec_option_has_user(argument, size, &length)) {
    arguments->next = length == size ? IS_USER : ANY;
    if (length < size && argument[length] == '=') length++;
    return length < size && csec_is_user_and_password(&m, length, size) ? length : size;
  }
  const char *bare = argument + name;
  bool is_key = is_option && key - name == 3 && bare[0] == 'k' && bare[1] == 'e' && bare[2] == 'y';
  bool is_secret = key > name && (is_key || csec_key_is_secret(argument + name, key - name));
  if (is_option && key == size && is_secret) arguments->next = IS_SECRET;
  if (!is_secret || key + 1 >= size || argument[key] != '=') return size;
  return csec_is_shell_folder(bare, key - name, argument[key + 1]) ? size : key + 1;
}

csec_safe_text csec_argument_without_secrets(const char *argument, size_t size, csec_arguments *arguments, char *room,
                                             size_t capacity) {
  size_t start = secret_start(argument, size, arguments);
  if (start == size) return csec_without_secrets(argument, size, room, capacity);
  struct csec_masking m = {.text = argument, .size = size, .shown = size, .room = room, .capacity = capacity};
  csec_mask(&m, start, size);
  return (csec_safe_text){room, m.written};
}
