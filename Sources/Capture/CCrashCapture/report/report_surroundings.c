// The places of a fault's addresses, the descriptors, and memory. The files of /proc were read before.

#include "CReportParts/shared_sections.h"
#include "record/region.h"
#include "report/report_stages.h"

void ck_stage_gather_surroundings(ck_report *report) {
  ck_fault_places_read(&report->fault, &report->facts.places);
  ck_descriptors_count(&report->facts.descriptors);
  ck_memory_shortage_read(&ck_region_header()->evidence, &report->facts.shortage);
}

// --- Mappings --------------------------------------------------------------------------------------------------

static void write_mapping(crp_json *json, const char *key, const ck_mapping *mapping) {
  if (!mapping->found) return;
  const char permissions[] = {mapping->readable ? 'r' : '-', mapping->writable ? 'w' : '-',
                              mapping->executable ? 'x' : '-', mapping->is_private ? 'p' : 's'};
  crp_json_begin_object(json, key);
  crp_json_address(json, "start", mapping->start);
  crp_json_address(json, "end", mapping->end);
  crp_json_string(json, "permissions", permissions, sizeof permissions);
  if (mapping->path[0]) crp_json_text(json, "path", mapping->path);
  crp_json_end(json);
}

static void write_place(crp_json *json, const char *of, const ck_map_query *query) {
  crp_json_begin_object(json, NULL);
  crp_json_text(json, "of", of);
  crp_json_address(json, "address", query->address);
  write_mapping(json, "mapping", &query->at);
  if (!query->at.found) {
    write_mapping(json, "below", &query->below);
    write_mapping(json, "above", &query->above);
  }
  crp_json_end(json);
}

// The thread's own one; the first thread's, if that is where it runs.
static const ck_mapping *own_stack(const ck_report *report) {
  const ck_map_query *queries = report->facts.places.queries;
  const ck_mapping *own = &queries[CK_PLACE_OWN_STACK].at, *first = &queries[CK_PLACE_MAIN_STACK].at;
  return report->tid == report->pid && first->found ? first : own;
}

void ck_write_fault(ck_report *report) {
  crp_json *json = &report->json;
  const ck_fault_places *places = &report->facts.places;
  if (!places->is_read) return;
  crp_json_begin_object(json, "fault");
  crp_json_begin_array(json, "places");
  if (report->fault.has_address) write_place(json, "faultAddress", &places->queries[CK_PLACE_FAULT_ADDRESS]);
  write_place(json, "programCounter", &places->queries[CK_PLACE_PROGRAM_COUNTER]);
  write_place(json, "stackPointer", &places->queries[CK_PLACE_STACK_POINTER]);
  crp_json_end(json);
  if (places->has_left_stack) write_mapping(json, "leftStack", own_stack(report));
  crp_json_end(json);
}

// --- Descriptors -----------------------------------------------------------------------------------------------

void ck_write_descriptors(ck_report *report) {
  crp_json *json = &report->json;
  const ck_descriptor_count *count = &report->facts.descriptors;
  if (!count->is_read) return;
  crp_json_begin_object(json, "descriptors");
  crp_json_integer(json, "open", (int64_t)count->open);
  if (count->limit < INT64_MAX) crp_json_integer(json, "limit", (int64_t)count->limit);
  crp_json_begin_object(json, "kinds");
  for (int kind = 0; kind < CK_DESCRIPTOR_KIND_COUNT; ++kind)
    if (count->kinds[kind] > 0)
      crp_json_integer(json, ck_descriptor_kind_name((ck_descriptor_kind)kind), (int64_t)count->kinds[kind]);
  crp_json_end(json);
  crp_json_end(json);
}

// --- Memory ----------------------------------------------------------------------------------------------------

static void write_known(crp_json *json, const char *key, uint64_t count) {
  if (count != CK_SHORTAGE_UNKNOWN) crp_json_integer(json, key, (int64_t)count);
}

static void write_events(crp_json *json, const ck_memory_shortage *shortage) {
  crp_json_begin_object(json, "events");
  write_known(json, "high", shortage->high);
  write_known(json, "max", shortage->max);
  write_known(json, "oom", shortage->oom);
  write_known(json, "oomKill", shortage->oom_kill);
  crp_json_end(json);
}

static void write_percentage(crp_json *json, const char *key, uint64_t hundredths) {
  if (hundredths != CK_SHORTAGE_UNKNOWN) crp_json_number(json, key, (double)hundredths / 100);
}

static void write_pressure(crp_json *json, const ck_memory_shortage *shortage) {
  crp_json_begin_object(json, "pressure");
  write_percentage(json, "some", shortage->some_waited);
  write_percentage(json, "full", shortage->all_waited);
  crp_json_end(json);
}

void ck_write_memory(ck_report *report) {
  crp_json *json = &report->json;
  const ck_memory_shortage *shortage = &report->facts.shortage;
  crp_section_memory_begin(json, &report->facts.memory);
  if (ck_is_of_death(report)) {
    if (shortage->max != CK_SHORTAGE_UNKNOWN || shortage->oom_kill != CK_SHORTAGE_UNKNOWN) write_events(json, shortage);
    if (shortage->some_waited != CK_SHORTAGE_UNKNOWN) write_pressure(json, shortage);
  }
  crp_json_end(json);
}
