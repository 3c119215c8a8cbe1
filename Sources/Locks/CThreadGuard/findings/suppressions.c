// Suppression rules. System calls and functions of strings only.

#include "findings/suppressions.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

#include "findings/suppression_frames.h"
#include "ground/guard_lines.h"
#include "CGround/procfile.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"
#include "rules.h"

#define RULES_MAX 512
#define LINE_SIZE 512

enum subject { FUNCTION, IMAGE, LOCK, SOURCE_FILE, SUBJECTS };
static const char *const subject_names[SUBJECTS] = {
    [FUNCTION] = "function", [IMAGE] = "image", [LOCK] = "lock", [SOURCE_FILE] = "file"};

struct rule {
  int kind;  // -1 for all
  enum subject subject;
  char code[64];  // empty for all
  char pattern[LINE_SIZE];
  char line[LINE_SIZE];  // as the file has it
  _Atomic unsigned long matches;
};

static struct rule rules[RULES_MAX];
static _Atomic int rule_count;

// --- The file --------------------------------------------------------------------------------------------------

static void say_line(const char *path, unsigned number, const char *what) {
  char bytes[1024];
  cgr_text text = CGR_TEXT(bytes);
  ctg_line_head(&text);
  cgr_text_string(&text, path);
  cgr_text_string(&text, ":");
  cgr_text_unsigned(&text, number);
  cgr_text_string(&text, ": ");
  cgr_text_string(&text, what);
  ctg_line_end(&text);
}

// What is wrong with the code of a rule that is about one kind, or NULL.
static const char *check_code(const struct rule *rule) {
  static char problem[256];
  const char *nearest;
  if (!rule->code[0] || ctg_rule_named((enum ctg_kind)rule->kind, rule->code, &nearest) >= 0) return NULL;
  cgr_text text = CGR_TEXT(problem);
  cgr_text_string(&text, ctg_kind_name((enum ctg_kind)rule->kind));
  cgr_text_string(&text, " has no code \"");
  cgr_text_string(&text, rule->code);
  cgr_text_string(&text, "\"");
  if (nearest) cgr_text_string(&text, "; did you mean \"");
  if (nearest) cgr_text_string(&text, nearest);
  if (nearest) cgr_text_string(&text, "\"?");
  return cgr_text_terminated(&text);
}

// What is wrong with the line, or NULL.
static const char *parse(char *line, struct rule *rule) {
  rule->kind = -1;
  rule->code[0] = 0;
  char *colon = strchr(line, ':');
  if (!colon) return "a rule is [KIND[/CODE] ]SUBJECT:PATTERN";
  *colon = 0;
  char *blank = strrchr(line, ' ');
  char *subject = blank ? blank + 1 : line;
  if (blank) {
    while (blank > line && blank[-1] == ' ') --blank;
    *blank = 0;
    char *code = strchr(line, '/');
    if (code) *code++ = 0;
    if (code && strlen(code) >= sizeof rule->code) return "the code is too long";
    if (code) strcpy(rule->code, code);
    rule->kind = ctg_kind_named(line);
    if (rule->kind < 0) return "no kind of violation has this name";
    const char *problem = check_code(rule);
    if (problem) return problem;
  }
  int found = 0;
  while (found < SUBJECTS && strcmp(subject, subject_names[found]) != 0) ++found;
  if (found == SUBJECTS) return "a rule is about a function, an image, a lock or a file";
  rule->subject = (enum subject)found;
  char *pattern = colon + 1;
  while (*pattern == ' ') ++pattern;
  if (!*pattern) return "the pattern is empty";
  strcpy(rule->pattern, pattern);
  return NULL;
}

static void add(const char *path, unsigned number, const char *start, const char *end) {
  while (start < end && (*start == ' ' || *start == '\t')) ++start;
  while (end > start && (end[-1] == ' ' || end[-1] == '\t' || end[-1] == '\r')) --end;
  if (start == end || *start == '#') return;
  int count = atomic_load(&rule_count);
  size_t size = (size_t)(end - start);
  if (size >= LINE_SIZE) return say_line(path, number, "the line is too long");
  if (count == RULES_MAX) return say_line(path, number, "too many rules");
  struct rule *rule = &rules[count];
  char line[LINE_SIZE];
  memcpy(line, start, size);
  line[size] = 0;
  memcpy(rule->line, line, size + 1);
  const char *problem = parse(line, rule);
  if (problem) return say_line(path, number, problem);
  atomic_store(&rule_count, count + 1);
}

// 0, or an errno. A device may have no end, and the other end of a pipe may never come.
static int refusal(int fd) {
  struct stat status = {0};
  long result = cgr_syscall4(SYS_newfstatat, fd, "", &status, AT_EMPTY_PATH);
  if (result < 0) return (int)-result;
  return S_ISREG(status.st_mode) ? 0 : S_ISDIR(status.st_mode) ? EISDIR : ENOTSUP;
}

int ctg_suppressions_read(const char *path) {
  long fd = cgr_syscall4(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK, 0);
  if (fd < 0) return (int)-fd;
  int error = refusal((int)fd);
  if (error) return cgr_syscall1(SYS_close, fd), error;
  cgr_lines lines = {.fd = (int)fd};
  const char *end;
  unsigned number = 0;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) add(path, ++number, line, end);
  cgr_lines_close(&lines);
  return 0;
}

// --- Matching --------------------------------------------------------------------------------------------------

// Whether the whole text is as the pattern says. Linear: a star that failed is never tried again before a later one.
static bool matches(const char *pattern, const char *text) {
  const char *star = NULL, *star_text = NULL;
  while (*text) {
    if (*pattern == '*') {
      star = pattern++;
      star_text = text;
    } else if (*pattern == '?' || *pattern == *text) {
      ++pattern;
      ++text;
    } else if (star) {
      pattern = star + 1;
      text = ++star_text;
    } else {
      return false;
    }
  }
  while (*pattern == '*') ++pattern;
  return *pattern == 0;
}

static bool applies(const struct rule *rule, const struct ctg_violation *violation) {
  bool is_kind = rule->kind < 0 || rule->kind == (int)violation->kind;
  return is_kind && (!rule->code[0] || (violation->code && strcmp(rule->code, violation->code) == 0));
}

bool ctg_suppressions_any(enum ctg_kind kind) {
  int count = atomic_load(&rule_count);
  for (int i = 0; i < count; ++i)
    if (rules[i].kind < 0 || rules[i].kind == (int)kind) return true;
  return false;
}

static bool any_lock(const struct rule *rule, const struct ctg_violation *violation) {
  for (size_t i = 0; i < violation->lock_count; ++i)
    if (violation->locks[i].name && matches(rule->pattern, violation->locks[i].name)) return true;
  return false;
}

static bool any_image(const struct rule *rule, const struct ctg_frames *frames, const crp_images *images) {
  for (size_t i = 0; i < frames->count; ++i) {
    const crp_image *image = crp_image_at(images, frames->symbols[i].address);
    if (!image) continue;
    if (matches(rule->pattern, crp_image_name(images, image)) || matches(rule->pattern, crp_image_path(images, image)))
      return true;
  }
  return false;
}

static bool any_function(const struct rule *rule, const struct ctg_violation *violation, struct ctg_frames *frames,
                         const crp_images *images) {
  if (violation->function && matches(rule->pattern, violation->function)) return true;
  ctg_frames_name(frames, images);
  for (size_t i = 0; i < frames->count; ++i) {
    const char *name = frames->symbols[i].name;
    if (!name[0]) continue;
    char plain[CTG_SYMBOL_MAX];
    ctg_symbol_plain_name(name, plain, sizeof plain);
    if (matches(rule->pattern, name) || (plain[0] && matches(rule->pattern, plain))) return true;
  }
  return false;
}

int ctg_suppressions_match(const struct ctg_violation *violation, const crp_images *images) {
  static struct ctg_frames frames;
  ctg_frames_gather(&frames, violation);
  int count = atomic_load(&rule_count);
  for (int i = 0; i < count; ++i) {
    const struct rule *rule = &rules[i];
    if (!applies(rule, violation)) continue;
    bool does = false;
    switch (rule->subject) {
      case FUNCTION: does = any_function(rule, violation, &frames, images); break;
      case IMAGE: does = any_image(rule, &frames, images); break;
      case LOCK: does = any_lock(rule, violation); break;
      default: does = violation->file && matches(rule->pattern, violation->file);
    }
    if (does) return i;
  }
  return -1;
}

void ctg_suppressions_count(int rule) { atomic_fetch_add(&rules[rule].matches, 1); }

void ctg_suppressions_say(void) {
  int count = atomic_load(&rule_count);
  for (int i = 0; i < count; ++i) {
    char bytes[LINE_SIZE + 128];
    cgr_text text = CGR_TEXT(bytes);
    unsigned long times = atomic_load(&rules[i].matches);
    ctg_line_head(&text);
    cgr_text_string(&text, "suppression \"");
    cgr_text_string(&text, rules[i].line);
    cgr_text_string(&text, times ? "\" matched " : "\" never matched");
    if (times) cgr_text_unsigned(&text, times);
    if (times) cgr_text_string(&text, times == 1 ? " time" : " times");
    ctg_line_end(&text);
  }
}
