// The program's own records: contexts, breadcrumbs, attributes, metrics.

#include "CProcessHooks.h"
#include "CReportTerms.h"
#include "CSecrets.h"
#include "CGround/memory.h"
#include "record/context_table.h"
#include "record/region.h"
#include "report/report_cuts.h"
#include "report/report_stages.h"
#include "CGround/text.h"

static const char *const levels[] = {"trace", "debug", "info", "notice", "warning", "error", "critical"};

// The name a sibling of a member gets, terminated, for keys that come as bytes.
static const char *terminated(char *buffer, size_t capacity, const char *bytes, size_t size) {
  cgr_text text = {.bytes = buffer, .capacity = capacity};
  cgr_text_bytes(&text, bytes, size);
  return cgr_text_terminated(&text);
}

static void write_pairs(crp_json *json, const ck_breadcrumb *crumb) {
  if (crumb->attribute_count == 0) return;
  crp_json_begin_object(json, "attributes");
  size_t offset = 0;
  ck_slice key, value;
  char name[CK_CRUMB_KEY_MAX + 1];
  while (ck_breadcrumb_attribute(crumb, &offset, &key, &value))
    crp_json_string(json, terminated(name, sizeof name, key.bytes, key.length), value.bytes, value.length);
  crp_json_end(json);
}

static void write_breadcrumb(crp_json *json, const ck_region_view *view, const ck_breadcrumb *crumb) {
  crp_json_begin_object(json, NULL);
  crp_json_timestamp(json, "time", (int64_t)crumb->time + view->clock_offset);
  crp_json_integer(json, "thread", crumb->thread);
  if (crumb->task != 0) crp_json_integer(json, "task", (int64_t)crumb->task);
  crp_json_text(json, "level", crumb->level <= CK_CRITICAL ? levels[crumb->level] : "info");
  if (crumb->category_length > 0) crp_json_string(json, "category", crumb->category, crumb->category_length);
  crp_json_string(json, "message", crumb->message, crumb->message_length);
  write_pairs(json, crumb);
  crp_json_end(json);
}

void ck_write_context(crp_json *json, uint64_t number) {
  ck_context context;
  if (!ck_context_read(number, &context)) return;
  crp_json_begin_object(json, "context");
  crp_json_string(json, "name", context.name, context.name_length);
  if (context.has_trace) {
    crp_json_begin_object(json, "trace");
    crp_json_hex(json, "traceId", context.trace.trace_id, sizeof context.trace.trace_id);
    crp_json_hex(json, "spanId", context.trace.span_id, sizeof context.trace.span_id);
    crp_json_end(json);
  }
  ck_breadcrumb pairs = {.attributes = context.attributes.bytes,
                         .attributes_length = context.attributes.length,
                         .attribute_count = context.attributes.count};
  write_pairs(json, &pairs);
  if (context.attributes.omitted > 0) crp_json_integer(json, "omittedAttributes", context.attributes.omitted);
  crp_json_end(json);
}

// A Rust panic that was caught, or that another thread ended with, is no cause of what came later.
static bool find_earlier_panic(const ck_report *report, ck_breadcrumb *crumb) {
  static const char category[] = "panic";
  static char message[CSEC_COPY_MAX];
  cph_panic panic;
  if (report->cause_code == TERM_CAUSE_rustPanic || !cph_last_panic(&panic)) return false;
  size_t size = csec_copy_without_secrets(message, panic.text, panic.size, sizeof message);
  *crumb = (ck_breadcrumb){.time = panic.time_ns, .thread = (uint32_t)panic.thread, .level = CK_ERROR};
  crumb->category = category;
  crumb->category_length = sizeof category - 1;
  crumb->message = message;
  crumb->message_length = (uint16_t)size;
  return true;
}

void ck_write_breadcrumbs(ck_report *report) {
  crp_json *json = &report->json;
  static ck_region_view view;
  static ck_ring_reader reader;
  static ck_breadcrumb crumb, panic;
  crp_json_begin_array(json, "breadcrumbs");
  bool readable = ck_region_view_self(&view);
  if (readable) {
    bool has_panic = find_earlier_panic(report, &panic);
    ck_ring_reader_init(&reader, &view);
    while (ck_ring_next(&reader, &crumb)) {
      if (has_panic && panic.time < crumb.time) {
        write_breadcrumb(json, &view, &panic);
        has_panic = false;
      }
      write_breadcrumb(json, &view, &crumb);
    }
    if (has_panic) write_breadcrumb(json, &view, &panic);
  } else {
    ck_report_cut(report, "breadcrumbs", "the ring was being replaced");
  }
  crp_json_end(json);
  crp_json_integer(json, "omittedBreadcrumbs", readable ? (int64_t)ck_ring_omitted(&reader) : 0);
}

void ck_write_attributes(ck_report *report) {
  crp_json *json = &report->json;
  static ck_region_view view;
  static ck_attribute attribute;
  if (!ck_region_view_self(&view)) return;
  crp_json_begin_object(json, "attributes");
  for (int slot = 0; slot < CK_ATTRIBUTE_SLOTS; ++slot) {
    if (!ck_attribute_read(&view, slot, &attribute)) continue;
    char key[CK_ATTRIBUTE_KEY_MAX + 1];
    terminated(key, sizeof key, attribute.key, attribute.key_length);
    crp_json_string(json, key, attribute.value, attribute.value_length);
  }
  crp_json_end(json);
}

void ck_write_metrics(ck_report *report) {
  static const char *const states[] = {"unknown", "nominal", "critical"};
  crp_json *json = &report->json;
  static ck_region_view view;
  static cph_metric metric;
  if (!ck_region_view_self(&view)) return;
  crp_json_begin_array(json, "metrics");
  for (int slot = 0; slot < CPH_METRIC_SLOTS; ++slot) {
    if (!ck_metric_read(&view, slot, &metric)) continue;
    crp_json_begin_object(json, NULL);
    crp_json_string(json, "name", metric.name, metric.name_length);
    if (metric.unit_length > 0) crp_json_string(json, "unit", metric.unit, metric.unit_length);
    crp_json_text(json, "state", states[metric.has_value && metric.state <= CPH_METRIC_CRITICAL ? metric.state : 0]);
    if (metric.has_value) {
      crp_json_number(json, "value", metric.value);
      crp_json_timestamp(json, "updatedAt", (int64_t)metric.updated_at + view.clock_offset);
    }
    if (metric.has_threshold) crp_json_number(json, "threshold", metric.threshold);
    crp_json_end(json);
  }
  crp_json_end(json);
}
