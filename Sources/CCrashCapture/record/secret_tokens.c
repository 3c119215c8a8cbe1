// Calls nothing: async-signal-safe. SecretTokens.swift has the same table; a test holds both to one table of cases.
#include "record/secret_tokens.h"

#include <stdint.h>

enum { JWT_HEADER_MAX = 512, PEM_NAME_MAX = 40, SCHEME_TOKEN_MIN = 8 };

// What begins a token, and how many characters follow at least.
struct shape {
  const char *prefix;
  uint8_t least;
};

// As gitleaks and the services' own pages have them.
static const struct shape *shapes(char initial) {
  static const struct shape none[] = {{NULL, 0}};
  static const struct shape upper_a[] = {{"AKIA", 16}, {"ASIA", 16}, {"AIza", 30}, {"AGE-SECRET-KEY-1", 20}, {NULL, 0}};
  static const struct shape upper_p[] = {{"PMAK-", 20}, {NULL, 0}};
  static const struct shape upper_s[] = {{"SG.", 20}, {NULL, 0}};
  static const struct shape d[] = {{"dop_v1_", 32}, {"dckr_pat_", 20}, {"discord.com/api/webhooks/", 8}, {NULL, 0}};
  static const struct shape g[] = {{"ghp_", 20}, {"gho_", 20}, {"ghu_", 20}, {"ghs_", 20}, {"ghr_", 20},
                                   {"github_pat_", 20}, {"glpat-", 16}, {"glsa_", 20}, {NULL, 0}};
  static const struct shape h[] = {{"hf_", 30}, {"hvs.", 20}, {"hooks.slack.com/services/", 8}, {NULL, 0}};
  static const struct shape l[] = {{"lin_api_", 20}, {NULL, 0}};
  static const struct shape n[] = {{"npm_", 30}, {NULL, 0}};
  static const struct shape p[] = {{"pypi-", 16}, {NULL, 0}};
  static const struct shape r[] = {{"rk_live_", 10}, {"rk_test_", 10}, {NULL, 0}};
  static const struct shape s[] = {{"sk_live_", 10}, {"sk_test_", 10}, {"sk-", 20},
                                   {"shpat_", 20}, {"sntrys_", 20}, {NULL, 0}};
  static const struct shape w[] = {{"whsec_", 16}, {NULL, 0}};
  static const struct shape x[] = {{"xoxa-", 10}, {"xoxb-", 10}, {"xoxp-", 10}, {"xoxr-", 10}, {"xoxs-", 10},
                                   {"xapp-", 10}, {NULL, 0}};
  static const struct shape y[] = {{"ya29.", 20}, {NULL, 0}};
  switch (initial) {
    case 'A': return upper_a;
    case 'P': return upper_p;
    case 'S': return upper_s;
    case 'd': return d;
    case 'g': return g;
    case 'h': return h;
    case 'l': return l;
    case 'n': return n;
    case 'p': return p;
    case 'r': return r;
    case 's': return s;
    case 'w': return w;
    case 'x': return x;
    case 'y': return y;
    default: return none;
  }
}

static bool is_token(char c) {
  return ck_is_token_letter(c) || c == '_' || c == '-' || c == '.' || c == '~' || c == '+' || c == '/' || c == '=';
}

static bool begins(const char *text, size_t size, size_t at, const char *prefix) {
  for (; *prefix; prefix++, at++)
    if (at >= size || text[at] != *prefix) return false;
  return true;
}

static size_t length(const char *text) {
  size_t size = 0;
  while (text[size]) size++;
  return size;
}

static size_t run_end(const char *text, size_t size, size_t at) {
  while (at < size && is_token(text[at])) at++;
  return at;
}

static bool is_in_shape(char c) { return ck_is_token_letter(c) || c == '_' || c == '-' || c == '.' || c == '/'; }

static bool has_at_least(const char *text, size_t size, size_t at, size_t least) {
  for (size_t i = 0; i < least; i++, at++)
    if (at >= size || !is_in_shape(text[at])) return false;
  return true;
}

static size_t shaped_end(const char *text, size_t size, size_t at) {
  for (const struct shape *shape = shapes(text[at]); shape->prefix; shape++) {
    if (!begins(text, size, at, shape->prefix)) continue;
    size_t body = at + length(shape->prefix);
    if (has_at_least(text, size, body, shape->least)) return run_end(text, size, body);
  }
  return at;
}

// Two parts in base64 of JSON, and a signature.
static size_t jwt_end(const char *text, size_t size, size_t at) {
  if (!begins(text, size, at, "eyJ")) return at;
  for (size_t i = at; i < size && i < at + JWT_HEADER_MAX && is_token(text[i]); i++)
    if (text[i] == '.') return begins(text, size, i + 1, "eyJ") ? run_end(text, size, i) : at;
  return at;
}

static size_t pem_end(const char *text, size_t size, size_t at) {
  if (!begins(text, size, at, "-----BEGIN ")) return at;
  size_t name = at;
  while (name < at + PEM_NAME_MAX && !begins(text, size, name, "PRIVATE KEY")) name++;
  if (name == at + PEM_NAME_MAX) return at;
  size_t end = name;
  while (end < size && !begins(text, size, end, "-----END ")) end++;
  for (end += end < size ? 9 : 0; end < size && !begins(text, size, end, "-----"); end++) {}
  return end < size ? end + 5 : size;
}

// A word is no token: it has digits, or capitals inside.
static size_t after_scheme(const char *text, size_t size, size_t *from) {
  size_t start = *from + (begins(text, size, *from, "Bearer ") ? 7 : begins(text, size, *from, "Basic ") ? 6 : 0);
  if (start == *from) return *from;
  size_t end = run_end(text, size, start);
  bool is_mixed = false;
  for (size_t i = start + 1; i < end; i++)
    is_mixed |= (text[i] >= '0' && text[i] <= '9') || (text[i] >= 'A' && text[i] <= 'Z') || text[i] == '=';
  if (end - start < SCHEME_TOKEN_MIN || !is_mixed) return *from;
  *from = start;
  return end;
}

size_t ck_token_end(const char *text, size_t size, size_t *from) {
  size_t at = *from;
  switch (text[at]) {
    case 'B': return after_scheme(text, size, from);
    case 'e': return jwt_end(text, size, at);
    case '-': return pem_end(text, size, at);
    default: return shaped_end(text, size, at);
  }
}
