// Values that a type wraps: Secret(storage: "x"), Set(["x"]), []string{"x"}, ('user', 'x'). Calls nothing but the rest
// of this folder: async-signal-safe.
#include "secret_scan.h"

enum { DEPTH_MAX = 4, WRAPPER_MAX = 64, LABEL_MAX = 32, GROUP_MAX = 512 };

// --- Brackets --------------------------------------------------------------------------------------------------------

// Whether a quote behind this character opens a text in a list.
static bool opens_text(char before) {
  return csec_is_blank(before) || csec_ends_line(before) || before == '[' || before == '{' || before == '('
         || before == ',' || before == ':' || before == '=' || before == '<';
}

struct csec_group csec_group_at(const struct csec_masking *m, size_t i, size_t most) {
  char open = m->text[i], close = open == '[' ? ']' : open == '{' ? '}' : ')', quote = 0;
  size_t from = i, depth = 0, slashes = 0, escapes = 0;
  struct csec_group group = {0};
  for (; i < m->size && i < from + most; i++) {
    char c = m->text[i];
    if (quote) {
      if (c == quote && (escapes > 0 ? slashes <= escapes : slashes % 2 == 0)) quote = 0;
    } else if (csec_is_quote(c) && opens_text(m->text[i - 1 - slashes])) {
      quote = c;
      escapes = slashes;
      group.texts++;
      group.has_content |= csec_at(m, i + 1) != c;
    } else {
      if (c == open) depth++;
      if (c == close && --depth == 0) {
        group.end = i + 1;
        return group;
      }
    }
    slashes = c == '\\' ? slashes + 1 : 0;
  }
  return group;
}

// --- What stands before a value ------------------------------------------------------------------------------------

// N'x', r"x", #"x"#: whether what stands before the quote belongs to it, and the quote is closed.
static bool is_literal(const struct csec_masking *m, size_t from, size_t quote) {
  enum { LITERAL_MAX = 256 };
  static const char *const prefixes[] = {"n", "b", "f", "l", "r", "u", "x", "e", NULL};
  bool is_raw = quote > from && m->text[from] == '#';
  if (!is_raw && !csec_is_word_of(m, from, quote, prefixes)) return false;
  for (size_t i = quote + 1; i < quote + LITERAL_MAX && i < m->size && !csec_ends_line(m->text[i]); i++)
    if (m->text[i] == m->text[quote]) return csec_can_follow(csec_at(m, i + 1)) || csec_at(m, i + 1) == '#';
  return false;
}

// Whether a text in quotes, perhaps with backslashes before them, begins at `i`.
static bool begins_text(const struct csec_masking *m, size_t i) {
  size_t most = i + DEPTH_MAX;
  while (i < most && csec_at(m, i) == '\\') i++;
  return csec_is_quote(csec_at(m, i));
}

static bool is_of_type(char c) { return csec_is_key(c) || c == '[' || c == ']' || c == '*'; }

// The brace behind Go's "[]string" or "map[string]string" at `i`; 0 if there is none.
static size_t literal_brace(const struct csec_masking *m, size_t i) {
  char next = csec_at(m, i + 1);
  bool is_list = csec_at(m, i) == '[' && (next == ']' || csec_is_number(next));
  if (!is_list && !csec_begins(m->text, m->size, i, "map[")) return 0;
  size_t end = i;
  while (end < m->size && end < i + WRAPPER_MAX && is_of_type(m->text[end])) end++;
  if (csec_begins(m->text, m->size, end, " {}{")) end += sizeof " {}" - 1;
  return csec_at(m, end) == '{' && csec_at(m, end + 1) != '}' ? end : 0;
}

// Behind "(string) (len=9) " and "(*string)(0xc0)((len=9) " of Go at `i`, if a text or a brace follows, else `i`.
static size_t types_end(const struct csec_masking *m, size_t i) {
  size_t end = i;
  for (int depth = 0; depth < DEPTH_MAX && csec_at(m, end) == '('; depth++) {
    size_t close = end + 1 + (csec_at(m, end + 1) == '('), most = close + WRAPPER_MAX;
    while (close < most && (is_of_type(csec_at(m, close)) || csec_at(m, close) == '=' || csec_at(m, close) == ' '))
      close++;
    if (csec_at(m, close) != ')') return i;
    end = csec_skip_blanks(m, close + 1);
  }
  return end > i && (begins_text(m, end) || csec_at(m, end) == '{') ? end : i;
}

// Behind `storage: ` in parentheses; `i` if there is no label. A token's label has to say that a value follows: those
// of parsers have other ones.
static size_t label_end(const struct csec_masking *m, size_t i, enum csec_secrecy secrecy) {
  if (secrecy == CSEC_SECRET_TOKEN) return csec_value_label_end(m, i);
  size_t end = i;
  while (end < i + LABEL_MAX && csec_is_key(csec_at(m, end))) end++;
  return end > i && csec_at(m, end) == ':' && csec_is_blank(csec_at(m, end + 1)) ? csec_skip_blanks(m, end + 1) : i;
}

// The end of a type's name, with where its last part begins.
static size_t name_end(const struct csec_masking *m, size_t i, size_t *last) {
  size_t end = i;
  for (*last = i; end < m->size && end < i + WRAPPER_MAX; end++) {
    char c = m->text[end];
    if (!csec_is_key(c) && c != '<' && c != '>' && c != '#' && c != '@' && !(c == '&' && end == i)) break;
    if (c == '.') *last = end + 1;
  }
  return end;
}

// --- The value -------------------------------------------------------------------------------------------------------

// A type at `i` with all its fields, if it has so many texts among them: Secret(id: 3, storage: "x"). `to` is 0 if not.
static struct csec_wrapped fields(const struct csec_masking *m, size_t i, size_t open, size_t texts_min) {
  struct csec_group group = csec_group_at(m, open, GROUP_MAX);
  return (struct csec_wrapped){i, group.has_content && group.texts >= texts_min ? group.end : 0};
}

// Whether a field says that a token's value follows: Token(id: 3, rawValue: "x").
static bool has_value_label(const struct csec_masking *m, size_t open) {
  size_t end = csec_group_at(m, open, GROUP_MAX).end;
  for (size_t i = open + 1; i < end; i++) {
    if (m->text[i - 1] != ' ') continue;
    size_t value = csec_value_label_end(m, i);
    if (value > i && begins_text(m, value)) return true;
  }
  return false;
}

// ('user', 'x'), []string{"x"}: what is no wrapper with a name.
static struct csec_wrapped without_name(const struct csec_masking *m, size_t i) {
  size_t brace = literal_brace(m, i), text = i + 1;
  if (csec_at(m, text) == 'b' || csec_at(m, text) == 'u') text++;
  bool is_tuple = csec_at(m, i) == '(' && begins_text(m, text);
  struct csec_group group = {0};
  if (brace > 0 || is_tuple) group = csec_group_at(m, brace > 0 ? brace : i, GROUP_MAX);
  if (group.end > 0 && !group.has_content && is_tuple) return (struct csec_wrapped){i, 0};
  if (brace > 0 && group.end == 0) group.end = csec_next(m, brace, CSEC_LINE_END);
  if (group.end > 0) return (struct csec_wrapped){i, group.end};
  size_t types = types_end(m, i);
  if (types > i && csec_at(m, types) == '{') group = csec_group_at(m, types, CSEC_SECRET_TEXT_MAX);
  if (csec_begins(m->text, m->size, i, "<<\"")) types = i + 2;
  return (struct csec_wrapped){group.end > 0 ? i : types, group.end};
}

struct csec_wrapped csec_unwrapped(const struct csec_masking *m, size_t i, enum csec_secrecy secrecy) {
  struct csec_wrapped value = without_name(m, i);
  if (value.from > i || value.to > 0) return value;
  size_t start = i, first = 0;
  bool is_optional = false, is_type = false;
  for (int depth = 0; depth < DEPTH_MAX; depth++) {
    size_t last, end = name_end(m, i, &last);
    char open = csec_at(m, end);
    if (csec_is_quote(open) && is_literal(m, i, end)) return (struct csec_wrapped){end, 0};
    // Secret { storage: "x" } of Rust
    if (open == ' ' && end > last && csec_at(m, end + 1) == '{') open = m->text[++end];
    if (open != '(' && (open != '{' || end == i)) break;
    if (depth == 0) {
      first = end;
      bool is_attached = open == '{' && m->text[end - 1] != ' ';
      is_type = end > last && (is_attached || (m->text[last] >= 'A' && m->text[last] <= 'Z'));
    }
    if (open == '{') break;
    bool is_some = csec_is_word(m, last, end, "some") || csec_is_word(m, last, end, "optional");
    size_t inner = csec_digits_end(m, end + 1, m->size < end + WRAPPER_MAX ? m->size : end + WRAPPER_MAX);
    if (inner > end + 1 && csec_at(m, inner) == ')' && csec_is_quote(csec_at(m, inner + 2)))
      return (struct csec_wrapped){inner + 2, 0};
    i = label_end(m, end + 1, secrecy);
    is_optional |= is_some;
    if (begins_text(m, i) && (csec_is_quote(csec_at(m, i)) || !is_optional)) {
      value = secrecy == CSEC_SECRET_TOKEN ? value : fields(m, start, end, 2);
      return value.to > 0 ? value : (struct csec_wrapped){i, 0};
    }
    if (end > last && csec_at(m, i) == '[') {
      value = fields(m, start, end, 1);
      return value.to > 0 ? value : (struct csec_wrapped){i, 0};
    }
  }
  if (is_optional) return (struct csec_wrapped){i, csec_next(m, i, CSEC_OPTIONAL_END)};
  bool is_sure = secrecy >= CSEC_SECRET_NAME || (secrecy == CSEC_SECRET_TOKEN && is_type && has_value_label(m, first));
  value = is_type && is_sure ? fields(m, start, first, 1) : (struct csec_wrapped){0};
  return value.to > 0 ? value : (struct csec_wrapped){start, 0};
}
