// Tokens in the paths of URLs: "https://h/hooks/x", "rtmp://h/app/x", "tgram://x/1". Hosts that are known by their
// names are in secret_tokens.def. Calls nothing but the rest of this folder: async-signal-safe.
#include "CGround/memory.h"
#include "secret_scan.h"

enum { PATH_MAX = 256, SCHEME_MAX = 8, TOKEN_MIN = 16, CHAT_TOKEN_MIN = 12 };

// What a word in a path says of the parts behind it.
enum reach {
  NO_TOKEN,
  NEXT_WORD,   // the next part is a token unless it is an id; numbers and versions may stand between
  NEXT,        // the same, also if it is an id
  LATER_WORD,  // any later part, unless it is an id
  LATER,       // any later part
};

// A part of a path, and the only host for which it counts if it has one.
struct naming {
  const char *word, *host;
  enum reach reach;
};

static const struct naming namings[] = {
    {"auth", "myget.org", NEXT},
    {"input", NULL, LATER_WORD},
    {"inputs", NULL, LATER_WORD},
    {"integration", NULL, LATER_WORD},
    {"integrations", NULL, LATER_WORD},
    {"key", NULL, NEXT_WORD},
    {"receiver", NULL, LATER_WORD},
    {"token", NULL, NEXT},
    {"trigger", NULL, NEXT},
    {NULL, NULL, NO_TOKEN},
};

#define BIT(c) (1ull << ((c)&63))

// Letters, digits, and "$%+-.=@_~": a bit for each character of ASCII. Every character of a path is looked up.
static const uint64_t in_part[] = {
    BIT('$') | BIT('%') | BIT('+') | BIT('-') | BIT('.') | BIT('=') | 0x3ffull * BIT('0'),
    BIT('@') | BIT('_') | BIT('~') | 0x3ffffffull * BIT('A') | 0x3ffffffull * BIT('a'),
};

static bool is_in_part(char c) { return (uint8_t)c < 0x80 && (in_part[(uint8_t)c >> 6] >> (c & 63) & 1); }

static size_t part_end(const struct csec_masking *m, size_t i, size_t most) {
  while (i < m->size && i < most && is_in_part(m->text[i])) i++;
  return i;
}

// Returns the place behind the slash at `i`, which may be escaped. If there is no slash, returns `i`.
static size_t slash_end(const struct csec_masking *m, size_t i) {
  size_t slash = csec_at(m, i) == '\\' ? i + 1 : i;
  return csec_at(m, slash) == '/' ? slash + 1 : i;
}

// Where the path ends that goes on at `i`, without the full stop of a sentence.
static size_t path_end(const struct csec_masking *m, size_t i) {
  size_t end = part_end(m, i, m->size);
  for (size_t next; (next = slash_end(m, end)) > end;) end = part_end(m, next, m->size);
  while (end > i && m->text[end - 1] == '.') end--;
  return end;
}

// Whether the bytes end in this word, in either case.
static bool ends_in(const struct csec_masking *m, const char *name, size_t from, size_t to) {
  size_t size = cgr_length(name);
  return to - from >= size && csec_is_word(m, to - size, to, name);
}

static enum reach reach_of(const struct csec_masking *m, size_t from, size_t to, size_t host, size_t host_end) {
  if (to == from) return NO_TOKEN;
  char first = m->text[from] | 0x20, last = m->text[to - 1] | 0x20;
  for (const struct naming *naming = namings; naming->word; naming++) {
    if (naming->word[0] != first || !csec_is_word(m, from, to, naming->word)) continue;
    if (!naming->host || ends_in(m, naming->host, host, host_end)) return naming->reach;
  }
  // "hook", "webhooks", "build_hooks"
  if (last != 'k' && last != 's') return NO_TOKEN;
  return ends_in(m, "hook", from, to) || ends_in(m, "hooks", from, to) ? NEXT : NO_TOKEN;
}

// "hooks.example.com", "hook.eu1.make.com"
static bool host_says_hook(const struct csec_masking *m, size_t from, size_t to) {
  static const char *const labels[] = {"hook", "hooks", "webhook", "webhooks", NULL};
  size_t end = from;
  while (end < to && m->text[end] != '.') end++;
  return csec_is_word_of(m, from, end, labels);
}

static bool has_number(const struct csec_masking *m, size_t from, size_t to) {
  for (; from < to; from++)
    if (csec_is_number(m->text[from])) return true;
  return false;
}

// "abcd-1fgh-ijkl-mnop": the key of a stream.
static bool is_grouped(const struct csec_masking *m, size_t from, size_t to) {
  enum { GROUP = 5, LEAST = 19 };
  for (size_t i = from; i < to; i++)
    if (((i - from) % GROUP == GROUP - 1) != (m->text[i] == '-') || !is_in_part(m->text[i])) return false;
  return to - from >= LEAST && (to - from) % GROUP == GROUP - 1 && has_number(m, from, to);
}

static bool is_token(const struct csec_masking *m, size_t from, size_t to, enum reach reach) {
  while (to > from && m->text[to - 1] == '=') to--;
  bool takes_ids = reach == NEXT || reach == LATER;
  return csec_is_random(m->text, from, to, TOKEN_MIN) && (takes_ids || !csec_is_id(m->text, from, to));
}

static void read_path(struct csec_masking *m, size_t host, bool is_stream) {
  size_t name_end = part_end(m, host, host + PATH_MAX), end = name_end;
  if (csec_at(m, end) == ':') end = csec_digits_end(m, end + 1, m->size);
  enum reach reach = is_stream || host_says_hook(m, host, name_end) ? LATER : NO_TOKEN;
  for (size_t part; end < host + PATH_MAX && (part = slash_end(m, end)) > end;) {
    end = part_end(m, part, host + PATH_MAX);
    if (reach != NO_TOKEN && (is_token(m, part, end, reach) || (is_stream && is_grouped(m, part, end)))) {
      m->token_from = part;
      m->token_to = path_end(m, part);
      return;
    }
    enum reach next = reach_of(m, part, end, host, name_end);
    if (next != NO_TOKEN && reach != LATER)
      reach = next;
    else if (reach <= NEXT && !has_number(m, part, end))
      reach = NO_TOKEN;
  }
}

// "gotify://h/x", "pover://user@x": all of it, if any part of it looks random. "discord://-/channels/1" opens a page.
static size_t read_chat(struct csec_masking *m, size_t start) {
  bool has_token = false;
  size_t end = start;
  for (size_t part = start; end < start + PATH_MAX; end++) {
    char c = csec_at(m, end);
    if (is_in_part(c) && c != '@') continue;
    has_token |= csec_is_random(m->text, part, end, CHAT_TOKEN_MIN);
    part = end + 1;
    if (c != '@' && c != ':' && slash_end(m, end) == end) break;
  }
  return has_token ? csec_mask(m, start, end) : start;
}

static size_t scheme_start(const struct csec_masking *m, size_t sign) {
  size_t start = sign;
  while (start > 0 && start != m->gap_end && sign - start <= SCHEME_MAX && csec_is_token_letter(m->text[start - 1]))
    start--;
  return start;
}

size_t csec_read_chat(struct csec_masking *m, size_t sign, size_t start) {
  static const char *const chats[] = {"discord", "gotify", "gotifys", "msteams", "pbul",
                                      "pover",   "slack",  "tgram",   NULL};
  return csec_is_word_of(m, scheme_start(m, sign), sign, chats) ? read_chat(m, start) : start;
}

void csec_read_path(struct csec_masking *m, size_t sign, size_t host) {
  static const char *const schemes[] = {"http", "https", "ws", "wss", NULL}, *const streams[] = {"rtmp", "rtmps", NULL};
  size_t start = scheme_start(m, sign);
  bool is_stream = csec_is_word_of(m, start, sign, streams);
  if (is_stream || csec_is_word_of(m, start, sign, schemes)) read_path(m, host, is_stream);
}
