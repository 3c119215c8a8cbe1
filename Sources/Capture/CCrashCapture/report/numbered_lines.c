// A report as numbered lines on standard error. System calls only.

#include "report/numbered_lines.h"

#include "CGround/clock.h"
#include "CGround/descriptors.h"
#include "CGround/memory.h"
#include "CGround/text.h"

static uint32_t crc_add(uint32_t crc, const uint8_t *bytes, size_t size) {
  crc = ~crc;
  for (size_t i = 0; i < size; ++i) {
    crc ^= bytes[i];
    for (int bit = 0; bit < 8; ++bit) crc = crc >> 1 ^ (0xedb88320u & (0u - (crc & 1)));
  }
  return ~crc;
}

// The file may still take what standard error does not: a pipe without a reader, or a closed descriptor.
static void note_numbered(ck_output *output, int error) {
  if (error == 0) return;
  output->numbered = false;
  if (output->file < 0) ck_output_note(output, error);
}

// A log is read by a program that may have much to do; one that takes nothing for so long is given up.
#define LINE_WAIT_NS 500000000ull

static void write_to_log(ck_output *output, const cgr_text *text) {
  uint64_t start = cgr_monotonic_ns();
  uint64_t wait = output->wait_left_ns < LINE_WAIT_NS ? output->wait_left_ns : LINE_WAIT_NS;
  note_numbered(output, cgr_write_stderr(text->bytes, text->size, wait));
  uint64_t spent = cgr_monotonic_ns() - start;
  output->wait_left_ns -= spent < output->wait_left_ns ? spent : output->wait_left_ns;
}

static void line_head(ck_output *output, cgr_text *text) {
  cgr_text_string(text, "crashkit-report ");
  cgr_text_string(text, output->id);
  cgr_text_string(text, " ");
}

static void write_line(ck_output *output) {
  if (output->pending_size == 0) return;
  static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  char buffer[900];
  cgr_text text = CGR_TEXT(buffer);
  line_head(output, &text);
  cgr_text_unsigned(&text, ++output->line);
  cgr_text_string(&text, " ");
  for (size_t i = 0; i < output->pending_size; i += 3) {
    size_t left = output->pending_size - i;
    const uint8_t *p = output->pending + i;
    uint32_t group = (uint32_t)p[0] << 16 | (left > 1 ? (uint32_t)p[1] << 8 : 0) | (left > 2 ? p[2] : 0);
    char four[4] = {digits[group >> 18], digits[group >> 12 & 63], left > 1 ? digits[group >> 6 & 63] : '=',
                    left > 2 ? digits[group & 63] : '='};
    cgr_text_bytes(&text, four, 4);
  }
  cgr_text_string(&text, "\n");
  output->crc = crc_add(output->crc, output->pending, output->pending_size);
  output->pending_size = 0;
  write_to_log(output, &text);
}

void ck_numbered_write(ck_output *output, const char *bytes, size_t size) {
  while (size > 0 && output->numbered) {
    size_t room = sizeof output->pending - output->pending_size;
    size_t part = size < room ? size : room;
    cgr_copy(output->pending + output->pending_size, bytes, part);
    output->pending_size += part;
    bytes += part;
    size -= part;
    if (output->pending_size == sizeof output->pending) write_line(output);
  }
}

void ck_numbered_end(ck_output *output) {
  write_line(output);
  char buffer[96];
  cgr_text text = CGR_TEXT(buffer);
  line_head(output, &text);
  cgr_text_string(&text, "end ");
  cgr_text_unsigned(&text, output->line);
  cgr_text_string(&text, " ");
  cgr_text_hex(&text, output->crc, 8);
  cgr_text_string(&text, "\n");
  write_to_log(output, &text);
}
