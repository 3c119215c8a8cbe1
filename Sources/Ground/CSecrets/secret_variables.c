// Environment variables and attributes whose values are secrets. Calls nothing but the rest of this folder:
// async-signal-safe.
#include "secret_scan.h"

enum { NUMBER_MAX = 3, DURATION_MAX = 9, SEED_MAX = 9, PART_MIN = 12 };

// --- Values that are plainly no secrets ----------------------------------------------------------------------------

// "true", "login", "tcp"
static bool is_state(const struct csec_masking *m) {
  static const char *const words[] = {"true",    "false",    "yes", "no",     "on",    "off",   "none",
                                      "enabled", "disabled", "lax", "strict", "plain", "login", "cram-md5",
                                      "xoauth2", "tcp",      "udp", "http",   "https", NULL};
  return csec_is_word_of(m, 0, m->size, words);
}

// "30", "15m", "3600s"
static bool is_duration(const struct csec_masking *m) {
  static const char *const units[] = {"ms", "s", "m", "h", "d", "w", NULL};
  size_t digits = csec_digits_end(m, 0, m->size);
  if (digits == m->size) return digits > 0 && digits <= NUMBER_MAX;
  return digits > 0 && digits <= DURATION_MAX && csec_is_word_of(m, digits, m->size, units);
}

// "10.96.0.12", "0.0.0.0:4180"
static bool is_address(const struct csec_masking *m) {
  size_t end = 0, dots = 0;
  for (; end < m->size && (csec_is_number(m->text[end]) || m->text[end] == '.'); end++) dots += m->text[end] == '.';
  if (dots != 3 || end > sizeof "255.255.255.255" - 1) return false;
  return end == m->size || (m->text[end] == ':' && csec_digits_end(m, end + 1, m->size) == m->size);
}

// From `i` on: parts with slashes between, and none that looks random.
static bool is_plain_path(const struct csec_masking *m, size_t i) {
  for (size_t part = i; part <= m->size; part = i + 1) {
    for (i = part; i < m->size && m->text[i] != '/'; i++)
      if (!csec_is_key(m->text[i]) && m->text[i] != '~' && m->text[i] != ':') return false;
    for (size_t word = part, end; word < i; word = end + 1) {
      for (end = word; end < i && m->text[end] != '.' && m->text[end] != ':' && m->text[end] != '~';) end++;
      if (csec_is_random(m->text, word, end, PART_MIN)) return false;
    }
  }
  return true;
}

// "https://h:80/oauth2": no user, no query. What the path of a known host holds is masked as in each text.
static bool is_plain_url(const struct csec_masking *m) {
  size_t sign = 0;
  while (sign < m->size && csec_is_key(m->text[sign])) sign++;
  size_t start = sign > 0 && csec_at(m, sign) == ':' ? csec_url_start(m, sign) : 0;
  return start > 0 && start < m->size && is_plain_path(m, start);
}

// "/etc/tls/tls.key". A key in base64 may begin with '/': then it has capitals and no dot.
static bool is_file(const struct csec_masking *m) {
  size_t slashes = 0;
  bool has_capital = false, has_dot = false;
  for (size_t i = 0; i < m->size; i++) {
    slashes += m->text[i] == '/';
    has_dot |= m->text[i] == '.';
    has_capital |= m->text[i] >= 'A' && m->text[i] <= 'Z';
  }
  return csec_at(m, 0) == '/' && (has_dot || (slashes > 1 && !has_capital)) && is_plain_path(m, 0);
}

static bool is_seed(const struct csec_masking *m) {
  return m->size <= SEED_MAX && csec_digits_end(m, 0, m->size) == m->size;
}

static bool is_plain(const struct csec_masking *m) {
  return is_state(m) || is_duration(m) || is_address(m) || is_plain_url(m) || is_file(m);
}

// --- Names ---------------------------------------------------------------------------------------------------------

// What a value may be if it is shown. The name's last word decides.
static bool is_shown(const char *name, size_t length, const struct csec_masking *m) {
  static const char *const files[] = {"key", "keys", "pem", "credentials", "cred", "creds", NULL};
  static const char *const methods[] = {"auth", "oauth", "csrf", "xsrf", NULL}, *const seeds[] = {"seed", NULL};
  const struct csec_masking key = {.text = name, .size = length};
  size_t start = length;
  while (start > 0 && name[start - 1] != '_') start--;
  if (csec_is_word_of(&key, start, length, files)) return is_file(m);
  if (csec_is_word_of(&key, start, length, methods)) return is_state(m);
  if (csec_is_word_of(&key, start, length, seeds)) return is_seed(m);
  // PGPASSWORD, API_TOKEN_2: the name is that of the secret itself.
  while (start > 1 && csec_digits_end(&key, start, length) == length) {
    length = start - 1;
    for (start = length; start > 0 && name[start - 1] != '_';) start--;
  }
  return start > 0 && !csec_key_is_secret(name + start, length - start) && is_plain(m);
}

// WALLET_PRIV, ENCRYPTION_IV: last words that name a secret in an environment, and anything in a text.
static bool is_named_here(const struct csec_masking *key, const struct csec_masking *value) {
  static const char *const alone[] = {"key", "keys", "session", NULL};
  static const char *const ends[] = {"aes", "iv", "pp", "priv", "private", "shadow", "shared", NULL};
  if (key->size == 0 || key->text[0] >= 'a') return false;
  size_t start = key->size;
  while (start > 0 && key->text[start - 1] != '_') start--;
  if (csec_is_word_of(key, start, key->size, ends)) return !is_plain(value);
  return csec_is_word_of(key, 0, key->size, alone);
}

bool csec_variable_is_secret(const char *name, size_t length, const char *value, size_t size) {
  const struct csec_masking key = {.text = name, .size = length}, m = {.text = value, .size = size};
  if (csec_is_shell_folder(name, length, '/')) return false;
  switch (csec_key_secrecy(name, length)) {
    case CSEC_NOT_SECRET:
      if (csec_is_login(&key, 0, length)) return csec_is_login_value(&m, 0, size);
      return is_named_here(&key, &m);
    case CSEC_SECRET_RARELY: return csec_is_long_random(value, 0, size);
    case CSEC_PERHAPS_SECRET: return csec_looks_random(&m, 0, size, false);
    default: return !is_shown(name, length, &m);
  }
}

bool csec_attribute_is_secret(const char *key, size_t length, const char *value, size_t size) {
  const struct csec_masking of_key = {.text = key, .size = length}, m = {.text = value, .size = size};
  switch (csec_key_secrecy(key, length)) {
    case CSEC_NOT_SECRET:
      if (csec_is_login(&of_key, 0, length)) return csec_is_login_value(&m, 0, size);
      return csec_is_session(&of_key, 0, length)
             && (csec_is_long_random(value, 0, size) || csec_is_session_id(&m, 0, size));
    case CSEC_SECRET_RARELY: return csec_is_long_random(value, 0, size);
    case CSEC_PERHAPS_SECRET: return csec_looks_random(&m, 0, size, false);
    default: return true;
  }
}
