// What a secret's value becomes: "a" -> "b" of Terraform and Pulumi. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

// Behind the arrow at `i`, with the blanks around it; `i` if there is none.
static size_t arrow_end(const struct csec_masking *m, size_t i) {
  static const char *const arrows[] = {"->", "=>", "\xe2\x86\x92", NULL};
  enum { BLANKS_MAX = 4 };
  size_t start = i;
  while (start < i + BLANKS_MAX && csec_is_blank(csec_at(m, start))) start++;
  for (const char *const *arrow = arrows; *arrow && start > i; arrow++) {
    size_t size = 0;
    while ((*arrow)[size]) size++;
    bool is_here = csec_begins(m->text, m->size, start, *arrow) && csec_is_blank(csec_at(m, start + size));
    if (is_here) return csec_skip_blanks(m, start + size);
  }
  return i;
}

size_t csec_read_change(struct csec_masking *m, size_t i, const struct csec_secret_value *value) {
  size_t end = value->to, slashes = 0;
  m->key_end = 0;
  while (slashes < 2 && csec_at(m, end + slashes) == '\\') slashes++;
  if (value->is_quoted && csec_is_quote(csec_at(m, end + slashes))) end += slashes + 1;
  size_t next = arrow_end(m, end);
  if (next == end) return i;
  struct csec_secret_value later = csec_secret_value_at(m, next, '=', CSEC_SECRET_NAME);
  bool is_plain = !later.is_quoted && !csec_looks_random(m, later.from, later.to, false);
  is_plain |= csec_is_plain_value(m, &later, '=', CSEC_SECRET_NAME);
  return is_plain ? i : csec_mask(m, later.from, later.to);
}
