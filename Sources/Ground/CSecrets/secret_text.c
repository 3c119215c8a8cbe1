// The texts of a report without their credentials. Calls nothing but the rest of this folder: async-signal-safe.
#include "secret_scan.h"
#include "CGround/utf8.h"

CGR_NO_LIBC static void put(struct csec_masking *m, const char *bytes, size_t size) {
  size_t room = m->capacity - m->written;
  if (size > room) size = room;
  cgr_copy(m->room + m->written, bytes, size);
  m->written += size;
}

static void put_up_to(struct csec_masking *m, size_t end) {
  if (end > m->shown) end = m->shown;
  if (end > m->kept) put(m, m->text + m->kept, end - m->kept);
}

CGR_NO_LIBC static void set_marks(bool *marks, size_t from, size_t to, bool value) {
  for (; from < to; from++) marks[from] = value;
}

size_t csec_mask(struct csec_masking *m, size_t from, size_t to) {
  if (m->marks) {
    set_marks(m->marks, from, to, true);
  } else {
    put_up_to(m, from);
    if (from < m->shown) put(m, CSEC_SECRET_MASK, sizeof CSEC_SECRET_MASK - 1);
  }
  m->kept = to;
  m->key_end = 0;
  return to;
}

// --- Keys and values -------------------------------------------------------------------------------------------

// Behind the sign of a pair. Returns where to read on.
static size_t read_value(struct csec_masking *m, size_t i, char sign, enum csec_secrecy secrecy) {
  csec_read_dumped(m, secrecy);
  size_t login = csec_read_login(m, i, true);
  if (login > i) return login;
  if (secrecy == CSEC_NOT_SECRET) {
    secrecy = csec_named_secrecy(m, i);
    if (secrecy == CSEC_NOT_SECRET)
      csec_read_name(m, i);
    else
      sign = '=';
  }
  if (secrecy == CSEC_NOT_SECRET) {
    size_t end = csec_read_session(m, i);
    if (end == i) end = csec_read_digest(m, i);
    if (end > i) return end;
  } else {
    struct csec_secret_value value = csec_secret_value_at(m, i, sign, secrecy);
    bool is_plain = csec_is_dumped_type(m, &value) || csec_is_plain_value(m, &value, sign, secrecy);
    if (!is_plain) i = csec_mask(m, value.from, value.to);
    return csec_read_change(m, i, &value);
  }
  m->key_end = 0;
  return i;
}

// "token == other" compares; "password==x" does not.
static size_t read_equality(struct csec_masking *m, size_t i) {
  size_t end = i;
  while (csec_at(m, end) == '=') end++;
  enum csec_secrecy secrecy = csec_pair_secrecy(m, '=');
  bool is_comparison = secrecy < CSEC_SECRET_NAME && csec_is_blank(csec_at(m, end));
  return read_value(m, end, '=', is_comparison ? CSEC_NOT_SECRET : secrecy);
}

// Behind "data:" in a Secret of Kubernetes: an object, or the lines below. Returns where to read on.
static size_t read_data(struct csec_masking *m, size_t i) {
  size_t start = csec_skip_blanks(m, i), line = csec_next_line(m, start), first = csec_skip_blanks(m, line);
  size_t end = line > start && first > line ? csec_block_end(m, first) : first;
  if (end > first) return csec_mask(m, first, end);
  return read_value(m, i, ':', csec_at(m, start) == '{' ? CSEC_SECRET_NAME : CSEC_NOT_SECRET);
}

// At the sign behind a key: '=' or ':', ":=", "=>", "==".
static size_t read_sign(struct csec_masking *m, size_t i, char sign, size_t size) {
  char next = csec_at(m, i + size);
  size_t member = sign == ':' ? csec_member_sign(m, i) : i;
  if (member > i) return read_value(m, member + 2, '=', csec_pair_secrecy(m, '='));
  if (sign == ':' && csec_is_data_of_secret(m)) return read_data(m, i + size);
  if (sign == ':' && next == ':') {
    m->key_end = 0;
    return i + 2;
  }
  if (sign == '=' && next == '=') return read_equality(m, i);
  if (sign == '=' && next == '>') size++;
  if (sign == ':' && next == '=') {
    sign = '=';
    size++;
  }
  return read_value(m, i + size, sign, csec_pair_secrecy(m, sign));
}

// --- The text --------------------------------------------------------------------------------------------------

static size_t read_key(struct csec_masking *m, size_t i, size_t size) {
  if (m->key_end == 0 || m->is_closed) m->key_start = i;
  m->is_closed = m->is_quoted = false;
  i += size;
  // No token begins inside of a word, but one may behind the letter of "\\n".
  bool goes_on = i != m->gap_end;
  for (; goes_on && i < m->size && csec_is_token_letter(m->text[i - 1]) && csec_is_token_letter(m->text[i]); i++) {
  }
  return m->key_end = i;
}

// Behind a word.
static size_t read_blank(struct csec_masking *m, size_t i) {
  if (csec_is_keyword(m, i)) return read_value(m, i, '=', csec_pair_secrecy(m, '='));
  csec_read_statement(m, i);
  size_t end = csec_read_command(m, i);
  if (end == i) end = csec_read_login(m, i, false);
  return end > i ? end : csec_read_sentence(m, i);
}

// Cuts a key that is no secret to its end: behind a colour ("x\\e[1mAUTH"), behind the letter of "\\n", or behind the
// dash that diff puts before a line. Returns false if the key has none of the three.
static bool cut_key(struct csec_masking *m) {
  if (m->gap_end > m->key_start && m->gap_end < m->key_end)
    m->key_start = m->gap_end;
  else if (m->text[m->key_start] == '-' && m->text[m->key_start + 1] != '-' && m->key_start + 1 < m->key_end)
    m->key_start++;
  else
    return false;
  return true;
}

// At the blank or quote behind a word. Returns where to read on, or `i`.
static size_t read_word_end(struct csec_masking *m, size_t i, char c) {
  const void *program = csec_program_named(m->text + m->key_start, i - m->key_start);
  if (program) m->program = program;
  if (i - m->key_start == CSEC_SETUSER_SIZE) csec_read_rules(m, i);
  size_t end = csec_is_blank(c) ? read_blank(m, i) : csec_read_list(m, i);
  return end == i && csec_is_quote(c) ? csec_read_quoted_words(m, i) : end;
}

static size_t read_other(struct csec_masking *m, size_t i, char c, size_t size) {
  if (size > 1) {
    m->gap_start = i;
    m->gap_end = i + size;
  }
  if (m->key_end == i && i > 0 && !m->is_closed && (csec_is_blank(c) || csec_is_quote(c))) {
    size_t end = read_word_end(m, i, c);
    if (end == i && cut_key(m)) end = read_word_end(m, i, c);
    if (end > i) return end;
  }
  if (csec_ends_line(c) || c == '\\') {
    size_t end = csec_read_part(m, i);
    if (end > i) return end;
  }
  if (m->key_end == i && i > 0 && (csec_ends_line(c) || c == '\\')) {
    size_t end = csec_read_bulk(m, i);
    if (end == i && csec_ends_line(c)) end = csec_read_command(m, i);
    if (end > i) return end;
  }
  if (csec_ends_line(c) && !csec_goes_on(m, i)) m->program = NULL;
  size_t behind = csec_read_subscript(m, i);
  if (behind == i) behind = csec_read_brackets(m, i);
  if (behind > i) return behind;
  if (csec_closes_hashable(m, i) || csec_closes_binary(m, i)) return i + size;
  if (c == ',' && m->key_end > 0 && csec_is_pair_of_terms(m, i))
    return read_value(m, i + 1, '=', csec_pair_secrecy(m, '='));
  if (csec_is_quote(c) && i < m->dumped_to) {
    size_t end = csec_read_dumped_text(m, i);
    if (end > i) return end;
  }
  if (c == '\\' && csec_follows_written_end(m->text, i + 2 < m->size ? i + 2 : 0)) {
    m->gap_start = i;
    m->gap_end = i + 2;
  }
  m->is_closed = true;
  m->is_quoted |= csec_is_quote(c);
  if (!csec_is_quote(c) && !csec_is_blank(c) && c != '\\') m->key_end = 0;
  return i + size;
}

static size_t read_token(struct csec_masking *m, size_t i) {
  size_t from = i, to = csec_token_end(m->text, m->size, &from);
  if (to > from) return csec_mask(m, from, to);
  to = m->text[i] == '-' ? csec_tail_end(m->text, m->size, i) : i;
  return to > i ? csec_mask(m, csec_key_tail(m->text, m->kept, i), to) : i;
}

static bool is_url(const struct csec_masking *m, size_t i) { return m->text[i] == ':' && csec_url_start(m, i) > 0; }

// At ':', '@', '(', '<', '>' and braces, whatever stands before. Returns where to read on, or `i`.
static size_t read_mark(struct csec_masking *m, size_t i) {
  switch (m->text[i]) {
    case '@': return csec_read_address(m, i);
    case '<': csec_read_tag(m, i); return i;
    case '>': {
      size_t end = i < m->rules_end ? csec_read_rule(m, i) : i;
      return end > i || m->tag_end == 0 ? end : csec_read_element(m, i);
    }
    case '(': {
      size_t end = csec_read_call(m, i);
      return end > i ? end : csec_read_rows(m, i);
    }
    case '}':
      m->named = CSEC_NOT_SECRET;
      m->has_name = false;
      return i;
    case '{': m->has_name = false; return i;
    default: return i;
  }
}

// At ':': "https://…", and "123456789:AA…".
static size_t read_colon(struct csec_masking *m, size_t i) {
  if (is_url(m, i)) return csec_read_url(m, i);
  size_t from = m->kept, to = csec_bot_token_end(m->text, m->size, &from, i);
  return to > i ? csec_mask(m, from, to) : i;
}

// The colon and the equals sign of Chinese and Japanese texts; 0 if it is another character.
static char wide_sign(const struct csec_masking *m, size_t i) {
  if (m->text[i] != '\xef' || csec_at(m, i + 1) != '\xbc') return 0;
  char last = csec_at(m, i + 2);
  return last == '\x9a' ? ':' : last == '\x9d' ? '=' : 0;
}

static bool is_digit(char c) { return csec_is_number(c) || (c >= 'a' && c <= 'f'); }

// At '.', '-' and '~' inside of a token.
static size_t read_inner_mark(struct csec_masking *m, size_t i) {
  char raw = m->text[i], next = csec_at(m, i + 1);
  bool may_be_mark = raw == '.' ? next == 'a' : raw == '-' ? next == 'u' || is_digit(next) : raw == '~';
  if (!may_be_mark) return i;
  size_t from = m->kept, to = csec_marked_token_end(m->text, m->size, &from, i);
  return to > i ? csec_mask(m, from, to) : i;
}

// A colour or a blank that is no plain one. Within a key it shows nothing.
static size_t read_gap(struct csec_masking *m, size_t i) {
  size_t length = 0;
  enum csec_gap gap = csec_gap_at(m->text, m->size, i, &length);
  if (gap == CSEC_NO_GAP) return i;
  m->gap_start = i;
  m->gap_end = i + length;
  bool is_in_key = gap == CSEC_GAP_INVISIBLE && m->key_end == i && i > 0 && !m->is_closed;
  if (is_in_key && csec_is_key(csec_at(m, i + length))) return m->key_end = i + length;
  return read_other(m, i, ' ', length);
}

static size_t step(struct csec_masking *m, size_t i) {
  if (i == m->token_from && m->token_to > i) return csec_mask(m, i, m->token_to);
  if (m->rows.to > 0 && i >= m->rows.from) {
    size_t field = csec_read_field(m, i);
    if (field > i) return field;
  }
  char raw = m->text[i];
  bool starts = i == 0 || i == m->gap_end || !(csec_is_token_letter(m->text[i - 1]) || m->text[i - 1] == raw);
  size_t size, end = starts ? read_token(m, i) : i;
  if (end == i && starts && (i == 0 || i == m->gap_end || csec_ends_line(m->text[i - 1])) && csec_begins_line(m, i))
    end = csec_read_pgpass(m, i);
  if (end == i && csec_is_token_letter(raw) && !m->is_name) return read_key(m, i, 1);
  if (end == i && raw == ':') end = read_colon(m, i);
  if (end == i) end = read_inner_mark(m, i);
  if (m->is_name) return end > i ? end : i + 1;
  if (end == i && raw == '-' && (starts || csec_follows_written_end(m->text, i))) end = csec_read_option(m, i);
  if (end == i) end = read_gap(m, i);
  if (end > i) return end;
  char c = csec_decoded_at(m, i, &size);
  if (end == i && csec_is_key(c)) return read_key(m, i, size);
  if (end == i) end = read_mark(m, i);
  if (end > i) return end;
  char wide = wide_sign(m, i);
  if (wide) {
    c = wide;
    size = 3;
  }
  if (c == ':' && raw == '%') end = csec_read_encoded_url(m, i);
  if (end > i) return end;
  if (c == ':' || c == '=') csec_take_foreign_key(m, i);
  if ((c == ':' || c == '=') && m->key_end > 0) {
    bool has_gap = m->gap_end > m->key_start && m->gap_end < m->key_end;
    if (has_gap && csec_pair_secrecy(m, c) == CSEC_NOT_SECRET) cut_key(m);
    return read_sign(m, i, c, size);
  }
  return read_other(m, i, c, size);
}

static csec_safe_text copied(struct csec_masking *m, size_t whole) {
  if (m->kept == 0 && m->shown == whole) return (csec_safe_text){m->text, whole};
  put_up_to(m, m->size);
  if (m->shown < whole) put(m, CGR_ELLIPSIS, sizeof CGR_ELLIPSIS - 1);
  return (csec_safe_text){m->room, m->written};
}

static void search(struct csec_masking *m) {
  struct csec_stretches stretches[CSEC_SOUGHT_COUNT] = {0};
  m->stretches = stretches;
  for (size_t i = 0; i < m->size && m->written < m->capacity;) i = step(m, i);
}

static csec_safe_text masked(struct csec_masking *m, size_t whole) {
  search(m);
  return copied(m, whole);
}

csec_safe_text csec_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  size_t looked_at = cgr_utf8_cut(text, size, CSEC_SECRET_TEXT_MAX + CSEC_SECRET_BEYOND);
  size_t shown = cgr_utf8_cut(text, size, CSEC_SECRET_TEXT_MAX);
  struct csec_masking m = {.text = text, .size = looked_at, .shown = shown, .room = room, .capacity = capacity};
  return csec_may_hold_secret(text, looked_at) ? masked(&m, size) : copied(&m, size);
}

size_t csec_copy_without_secrets(char *to, const char *text, size_t size, size_t bound) {
  char room[CSEC_COPY_MAX + 1];  // one more than is kept, so that it shows what was cut
  csec_safe_text safe = csec_without_secrets(text, size, room, bound + 1);
  return cgr_copy_cut(to, safe.bytes, safe.size, bound);
}

csec_safe_text csec_whole_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  if (!csec_may_hold_secret(text, size)) return (csec_safe_text){text, size};
  struct csec_masking m = {.text = text, .size = size, .shown = size, .room = room, .capacity = capacity};
  return masked(&m, size);
}

csec_safe_text csec_name_without_secrets(const char *text, size_t size, char *room, size_t capacity) {
  if (!csec_may_hold_secret(text, size)) return (csec_safe_text){text, size};
  struct csec_masking m = {
      .text = text, .size = size, .shown = size, .room = room, .capacity = capacity, .is_name = true};
  return masked(&m, size);
}

void csec_mark_secrets(const char *text, size_t size, bool *marks) {
  set_marks(marks, 0, size, false);
  if (!csec_may_hold_secret(text, size)) return;
  struct csec_masking m = {.text = text, .size = size, .shown = size, .capacity = 1, .marks = marks};
  search(&m);
}

static bool is_text(char c) { return (uint8_t)c >= ' ' ? c != 0x7f : c == '\t' || csec_ends_line(c); }

void csec_mark_secrets_in_memory(const char *bytes, size_t size, bool *marks) {
  for (size_t from = 0, to; from < size; from = to + 1) {
    to = from;
    while (to < size && is_text(bytes[to])) to++;
    if (to > from) csec_mark_secrets(bytes + from, to - from, marks + from);
    if (to < size) marks[to] = false;
  }
}
