// What threads wait for, and a circle of threads that wait for each other.

#include "CGround/memory.h"
#include "dispatch_objects.h"
#include "report/mutex_cause.h"
#include "report/report_stages.h"

static void write_label(crp_json *json, uint64_t label) {
  char text[TERM_LABEL_MAX];
  size_t size = label == 0 ? 0 : cgr_memory_read_text(label, text, sizeof text);
  if (size > 0) crp_json_string(json, "name", text, size);
}

static void write_members(crp_json *json, const ck_wait *wait) {
  crp_json_address(json, "address", wait->address);
  crp_json_text(json, "type", term_wait_type(wait->kind));
  crp_json_text(json, "mode", wait->kind == TERM_WAIT_READ_LOCK ? "shared" : "exclusive");
  if (wait->owner != 0) crp_json_integer(json, "owner", wait->owner);
  write_label(json, wait->label);
}

void ck_write_wait(crp_json *json, const ck_thread *thread) {
  if (thread->wait.kind == TERM_WAIT_NONE) return;
  crp_json_begin_object(json, "waitingFor");
  write_members(json, &thread->wait);
  crp_json_end(json);
}

void ck_read_refused_wait(ck_report *report) {
  if (report->cause_code != TERM_CAUSE_mutexCycle) return;
  ck_refused_mutex mutex = ck_find_refused_mutex(&report->fault);
  report->threads.entries[0].wait = (ck_wait){TERM_WAIT_INHERITING_MUTEX, mutex.word, mutex.owner, 0};
}

// --- A circle --------------------------------------------------------------------------------------------------

static ck_thread *thread_of(ck_threads *threads, int id) {
  for (size_t i = 0; id != 0 && i < threads->count; ++i)
    if (threads->entries[i].tid == id && !threads->entries[i].gone) return &threads->entries[i];
  return NULL;
}

// A thread of a circle, or NULL. Each walk leaves its number on the threads that it comes by.
static ck_thread *find_circle(ck_threads *threads) {
  for (size_t i = 0; i < threads->count; ++i) threads->entries[i].walk = 0;
  for (size_t i = 0; i < threads->count; ++i) {
    ck_thread *thread = &threads->entries[i];
    uint32_t walk = (uint32_t)i + 1;
    for (; thread && thread->walk == 0; thread = thread_of(threads, thread->wait.owner)) thread->walk = walk;
    if (thread && thread->walk == walk) return thread;
  }
  return NULL;
}

void ck_write_deadlock(ck_report *report) {
  crp_json *json = &report->json;
  ck_thread *first = find_circle(&report->threads), *thread = first;
  if (!first) return;
  crp_json_begin_object(json, "deadlock");
  crp_json_begin_array(json, "steps");
  do {
    crp_json_begin_object(json, NULL);
    crp_json_integer(json, "thread", thread->tid);
    write_members(json, &thread->wait);
    crp_json_end(json);
    thread = thread_of(&report->threads, thread->wait.owner);
  } while (thread && thread != first);
  crp_json_end(json);
  crp_json_end(json);
}
