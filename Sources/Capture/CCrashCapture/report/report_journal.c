// A crash as a record of systemd's journal, with the fields that coredumpctl looks for. System calls only.

#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "CReportParts/harmless.h"
#include "CReportParts/journal_socket.h"
#include "CReportParts/origin.h"
#include "CReportTerms.h"
#include "processor/settings.h"
#include "record/context_table.h"
#include "report/build_fingerprint.h"
#include "report/report_stages.h"
#include "report/stderr_lines.h"

#define RECORD_BYTES (256 * 1024)
// What stays free behind the stacks.
#define END_BYTES 1024
#define FRAMES_SHOWN 128
// The process dies later by twice as much at most.
#define WAIT_NS 50000000ull
// systemd-coredump writes this id, and writes it for crashes without a core too. coredumpctl also lists records of a
// second id, for a stack that a program wrote by itself, but shows no signal of these.
#define MESSAGE_ID "fc2e22bc6ee647b6b90729ab34a250b1"

static char record_bytes[RECORD_BYTES];

// A field is its name, a line's end, its size in eight bytes, its value and a line's end: whatever the value holds.
// Returns where the value begins.
static size_t begin_field(cgr_text *record, const char *name) {
  cgr_text_string(record, name);
  cgr_text_bytes(record, "\n\0\0\0\0\0\0\0\0", 9);
  return record->size;
}

static void end_field(cgr_text *record, size_t start) {
  uint64_t size = record->size - start;
  for (int i = 0; i < 8; ++i) record->bytes[start - 8 + (size_t)i] = (char)(size >> (8 * i));
  cgr_text_string(record, "\n");
}

static void add(cgr_text *record, const char *name, const char *bytes, size_t size) {
  if (size == 0) return;
  size_t start = begin_field(record, name);
  crp_text_harmless(record, bytes, size);
  end_field(record, start);
}

static void add_text(cgr_text *record, const char *name, const char *text) {
  add(record, name, text, cgr_length(text));
}

static void add_number(cgr_text *record, const char *name, int64_t number) {
  size_t start = begin_field(record, name);
  cgr_text_decimal(record, number);
  end_field(record, start);
}

static void add_hex(cgr_text *record, const char *name, const uint8_t *bytes, size_t size) {
  size_t start = begin_field(record, name);
  cgr_text_hex_bytes(record, bytes, size);
  end_field(record, start);
}

static void add_process(const ck_report *report, cgr_text *record) {
  const crp_image *program = crp_image_of_program(&report->images);
  const crp_origin *origin = crp_origin_known();
  add_number(record, "COREDUMP_PID", report->pid);
  add_number(record, "COREDUMP_UID", cgr_syscall0(SYS_getuid));
  add_number(record, "COREDUMP_GID", cgr_syscall0(SYS_getgid));
  add_number(record, "COREDUMP_SIGNAL", report->fault.signal);
  add_text(record, "COREDUMP_SIGNAL_NAME", term_signal_name(report->fault.signal));
  add_number(record, "COREDUMP_TIMESTAMP", (int64_t)(report->realtime_ns / 1000));
  add_text(record, "COREDUMP_COMM", ck_current_settings.process_name);
  if (program) add_text(record, "COREDUMP_EXE", crp_image_path(&report->images, program));
  if (origin) add_text(record, "COREDUMP_HOSTNAME", origin->host);
  if (origin) add_text(record, "COREDUMP_UNIT", origin->unit);
  add_text(record, "COREDUMP_PACKAGE_NAME", ck_current_settings.application_name);
  add_text(record, "COREDUMP_PACKAGE_VERSION", ck_current_settings.application_version);
}

// The context's attributes are the program's values, and stay in the report's file.
static void add_context(const ck_report *report, cgr_text *record) {
  static ck_context context;
  if (!ck_context_read(report->threads.entries[0].task.context, &context)) return;
  add(record, "CRASHKIT_CONTEXT", context.name, context.name_length);
  if (!context.has_trace) return;
  add_hex(record, "CRASHKIT_TRACE_ID", context.trace.trace_id, sizeof context.trace.trace_id);
  add_hex(record, "CRASHKIT_SPAN_ID", context.trace.span_id, sizeof context.trace.span_id);
}

static void add_own(const ck_report *report, cgr_text *record) {
  char fingerprint[CK_BUILD_FINGERPRINT_SIZE];
  ck_build_fingerprint(report, fingerprint);
  add_text(record, "CRASHKIT_FINGERPRINT", fingerprint);
  add_text(record, "CRASHKIT_KIND", report->kind);
  add_text(record, "CRASHKIT_CAUSE", report->cause_code ? term_cause_code(report->cause_code) : "");
  add(record, "CRASHKIT_MESSAGE", report->message.bytes, report->message.size);
  add_context(report, record);
  if (ck_output_has_file(&report->output)) add_text(record, "CRASHKIT_REPORT", report->output.path);
}

static bool is_full(const cgr_text *record) { return record->capacity - record->size < END_BYTES; }

// `#3  0x… n/a (api + 0x1f2a0)`, as systemd-coredump writes a frame of which it knows no name.
static void add_frame(const ck_report *report, cgr_text *record, const ck_stack *stack, uint32_t index) {
  const crp_image *image = ck_frame_image(report, stack, index);
  uint64_t address = stack->addresses[index];
  cgr_text_string(record, "#");
  cgr_text_unsigned(record, index);
  cgr_text_string(record, index < 10 ? "  " : " ");
  cgr_text_address(record, address);
  cgr_text_string(record, " n/a (");
  if (image) {
    ck_line_name(record, crp_image_name(&report->images, image));
    cgr_text_string(record, " + 0x");
    cgr_text_hex(record, address - image->base, 1);
  } else {
    cgr_text_string(record, "n/a");
  }
  cgr_text_string(record, ")\n");
}

static void add_stack(const ck_report *report, cgr_text *record, const ck_thread *thread) {
  cgr_text_string(record, "\nStack trace of thread ");
  cgr_text_decimal(record, thread->tid);
  cgr_text_string(record, ":\n");
  for (uint32_t i = 0; i < thread->stack.count && i < FRAMES_SHOWN && !is_full(record); ++i)
    add_frame(report, record, &thread->stack, i);
}

static void add_message(const ck_report *report, cgr_text *record, bool with_all_threads) {
  size_t start = begin_field(record, "MESSAGE"), count = with_all_threads ? report->threads.count : 1;
  cgr_text_string(record, "Process ");
  cgr_text_decimal(record, report->pid);
  cgr_text_string(record, ": ");
  ck_line_death(report, record);
  cgr_text_string(record, "\n");
  for (size_t i = 0; i < count && !is_full(record); ++i) {
    const ck_thread *thread = &report->threads.entries[i];
    if (!thread->gone) add_stack(report, record, thread);
  }
  end_field(record, start);
}

static int send_record(const ck_report *report, bool with_all_threads) {
  cgr_text record = CGR_TEXT(record_bytes);
  add_text(&record, "MESSAGE_ID", MESSAGE_ID);
  add_number(&record, "PRIORITY", 2);
  add_text(&record, "SYSLOG_IDENTIFIER", ck_current_settings.process_name);
  add_process(report, &record);
  add_own(report, &record);
  add_message(report, &record, with_all_threads);
  return crp_journal_send(record.bytes, record.size, WAIT_NS);
}

void ck_write_journal(ck_report *report) {
  if (!ck_current_settings.journal) return;
  // Without a descriptor or a system call for sealed memory, what fits into a datagram.
  if (send_record(report, true) != 0) send_record(report, false);
}
