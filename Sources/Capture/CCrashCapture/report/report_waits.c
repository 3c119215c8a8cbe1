// What threads wait for, and the circles of threads that wait for each other.

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

// The kernel may refuse the waits of several threads of one circle, which then stop at the same place.
void ck_read_refused_wait(const ck_report *report, ck_thread *thread) {
  const ck_fault *fault = thread == report->threads.entries ? &report->fault : thread->fault;
  if (report->cause_code != TERM_CAUSE_mutexCycle || !fault || fault->signal == 0) return;
  if (fault->registers.values[CK_REGISTER_PC] != report->fault.registers.values[CK_REGISTER_PC]) return;
  ck_refused_mutex mutex = ck_find_refused_mutex(fault);
  thread->wait = (ck_wait){TERM_WAIT_INHERITING_MUTEX, mutex.word, mutex.owner, 0};
}

// --- Circles --------------------------------------------------------------------------------------------------

static ck_thread *thread_of(ck_threads *threads, int id) {
  ck_thread *thread = ck_thread_with_id(threads, id);
  return thread && !thread->gone ? thread : NULL;
}

// The next circle: a thread of it, or NULL. `next` is the first thread from which no walk has started yet. Each walk
// leaves its number on the threads that it comes by.
static ck_thread *next_circle(ck_threads *threads, size_t *next) {
  while (*next < threads->count) {
    ck_thread *thread = &threads->entries[*next];
    *next += 1;
    uint32_t walk = (uint32_t)*next;
    for (; thread && thread->walk == 0; thread = thread_of(threads, thread->wait.owner)) thread->walk = walk;
    if (thread && thread->walk == walk) return thread;
  }
  return NULL;
}

static void write_steps(ck_report *report, const ck_thread *first) {
  crp_json *json = &report->json;
  const ck_thread *thread = first;
  crp_json_begin_array(json, "steps");
  do {
    crp_json_begin_object(json, NULL);
    crp_json_integer(json, "thread", thread->tid);
    write_members(json, &thread->wait);
    crp_json_end(json);
    thread = thread_of(&report->threads, thread->wait.owner);
  } while (thread && thread != first);
  crp_json_end(json);
}

static void write_others(ck_report *report, const ck_thread *circle, size_t *next) {
  crp_json *json = &report->json;
  crp_json_begin_array(json, "others");
  for (; circle; circle = next_circle(&report->threads, next)) {
    crp_json_begin_object(json, NULL);
    write_steps(report, circle);
    crp_json_end(json);
  }
  crp_json_end(json);
}

void ck_write_deadlock(ck_report *report) {
  ck_threads *threads = &report->threads;
  for (size_t i = 0; i < threads->count; ++i) threads->entries[i].walk = 0;
  size_t next = 0;
  const ck_thread *circle = next_circle(threads, &next);
  if (!circle) return;
  crp_json_begin_object(&report->json, "deadlock");
  write_steps(report, circle);
  circle = next_circle(threads, &next);
  if (circle) write_others(report, circle, &next);
  crp_json_end(&report->json);
}
