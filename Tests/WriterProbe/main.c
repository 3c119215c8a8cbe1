// Lets tests see what the report writer makes of values: standard input in, text or JSON out.
//
// writer-probe doubles     8 bytes each, as they lie in memory; one line of text each
// writer-probe times       8 bytes each, nanoseconds since 1970; one RFC 3339 line each
// writer-probe string      all bytes: an object with them as the string "text"
// writer-probe unfinished  a report given up in the middle of everything, at each of its bytes
// writer-probe hazards     nothing: the number of each character that is a hazard, one a line
// writer-probe origin ROOT
//                          nothing: where a process runs whose files are below ROOT
// writer-probe harmless    all bytes: the text as a line on standard error would have it

#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "CReportParts/harmless.h"
#include "CReportParts/json.h"
#include "CReportParts/origin.h"
#include "CGround/text.h"

static void to_output(void *sink, const char *bytes, size_t size) {
  (void)sink;
  fwrite(bytes, 1, size, stdout);
}

static void each_word(void (*format)(cgr_text *, uint64_t)) {
  uint64_t word;
  while (fread(&word, sizeof word, 1, stdin) == 1) {
    char bytes[64];
    cgr_text text = CGR_TEXT(bytes);
    format(&text, word);
    puts(cgr_text_terminated(&text));
  }
}

static void format_double(cgr_text *text, uint64_t word) {
  double value;
  memcpy(&value, &word, sizeof value);
  cgr_text_double(text, value);
}

static void format_time(cgr_text *text, uint64_t word) { cgr_text_timestamp(text, (int64_t)word); }

static crp_json json;

static void write_string(void) {
  static char bytes[1 << 20];
  size_t size = fread(bytes, 1, sizeof bytes, stdin);
  crp_json_start(&json, to_output, NULL);
  crp_json_begin_object(&json, NULL);
  crp_json_string(&json, "text", bytes, size);
  crp_json_end(&json);
  crp_json_flush(&json);
}

// Whatever was put into the buffer behind the last complete value is lost, and the rest is valid JSON.
static void write_unfinished(void) {
  for (int steps = 0; steps < 12; ++steps) {
    crp_json_start(&json, to_output, NULL);
    crp_json_begin_object(&json, NULL);
    for (int i = 0; i < steps; ++i) {
      if (i % 4 == 0) crp_json_begin_array(&json, i % 8 == 0 ? "list" : "other");
      if (i % 4 == 1) crp_json_begin_object(&json, NULL);
      if (i % 4 == 2) crp_json_integer(&json, "number", (int64_t)1 << (i * 7));
      if (i % 4 == 3) crp_json_end(&json), crp_json_end(&json);
    }
    memcpy(json.buffer + json.size, ",\"half\":\"", 9);
    json.size += 9;
    crp_json_recover(&json, 0);
    crp_json_flush(&json);
    putchar('\n');
  }
}

// What is held is there as a whole, or not at all.
static void write_held(void) {
  for (int released = 0; released < 2; ++released) {
    crp_json_start(&json, to_output, NULL);
    crp_json_begin_object(&json, NULL);
    crp_json_integer(&json, "before", 1);
    crp_json_hold(&json);
    crp_json_integer(&json, "held", 2);
    crp_json_text(&json, "too", "held");
    if (released) crp_json_release(&json);
    crp_json_recover(&json, 1);
    crp_json_integer(&json, "after", 3);
    crp_json_recover(&json, 0);
    crp_json_flush(&json);
    putchar('\n');
  }
}

static void list_hazards(void) {
  for (uint32_t scalar = 0; scalar <= 0x10ffff; ++scalar)
    if (crp_is_hazard(scalar)) printf("%u\n", scalar);
}

static void write_harmless(void) {
  static char bytes[1 << 20];
  cgr_text text = CGR_TEXT(bytes);
  text.size = fread(bytes, 1, sizeof bytes, stdin);
  crp_text_make_harmless(&text, 0);
  fwrite(text.bytes, 1, text.size, stdout);
}

static void print_origin(const char *root) {
  crp_origin origin;
  crp_origin_read(&origin, root, true);
  printf("%s\n%s\n%s\n%s\n%s\n%s\n", origin.host, origin.container, origin.pod, origin.name_space, origin.unit,
         origin.image_tag);
}

int main(int count, char **arguments) {
  const char *mode = count > 1 ? arguments[1] : "";
  if (strcmp(mode, "doubles") == 0)
    each_word(format_double);
  else if (strcmp(mode, "times") == 0)
    each_word(format_time);
  else if (strcmp(mode, "string") == 0)
    write_string();
  else if (strcmp(mode, "unfinished") == 0)
    write_unfinished();
  else if (strcmp(mode, "held") == 0)
    write_held();
  else if (strcmp(mode, "hazards") == 0)
    list_hazards();
  else if (strcmp(mode, "harmless") == 0)
    write_harmless();
  else if (strcmp(mode, "origin") == 0 && count > 2)
    print_origin(arguments[2]);
  else
    return 64;
  return 0;
}
