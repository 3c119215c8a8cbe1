// The hang section.

#include "CGround/clock.h"
#include "report/hang.h"
#include "CGround/memory.h"
#include "report/report_stages.h"

static const char *const subjects[] = {
    [CK_HANG_QUEUE] = "queue",          [CK_HANG_EXECUTOR] = "executor", [CK_HANG_ACTOR] = "actor",
    [CK_HANG_EVENT_LOOP] = "eventLoop", [CK_HANG_POOL] = "pool",
};

static void write_threads(crp_json *json, const ck_hang *hang) {
  crp_json_begin_array(json, "threads");
  for (size_t i = 0; i < hang->thread_count; ++i) {
    crp_json_begin_object(json, NULL);
    crp_json_integer(json, "id", hang->threads[i].id);
    crp_json_seconds(json, "processorTime", hang->threads[i].last_ns - hang->threads[i].first_ns);
    crp_json_end(json);
  }
  crp_json_end(json);
}

void ck_write_hang(ck_report *report) {
  const ck_hang *hang = report->hang;
  if (!hang) return;
  crp_json *json = &report->json;
  int64_t to_realtime = (int64_t)cgr_realtime_ns() - (int64_t)cgr_monotonic_ns();
  crp_json_begin_object(json, "hang");
  crp_json_text(json, "subject", subjects[hang->subject]);
  crp_json_text(json, "name", hang->name);
  // Readers of older reports know queues only.
  if (hang->subject == CK_HANG_QUEUE) crp_json_text(json, "queue", hang->name);
  if (hang->thread > 0) crp_json_integer(json, "thread", hang->thread);
  crp_json_timestamp(json, "startedAt", (int64_t)hang->started_ns + to_realtime);
  crp_json_seconds(json, "threshold", hang->threshold_ns);
  crp_json_seconds(json, "duration", hang->duration_ns);
  crp_json_boolean(json, "ended", hang->ended);
  crp_json_boolean(json, "recovered", hang->recovered);
  crp_json_seconds(json, "observedFor", hang->observed_ns);
  write_threads(json, hang);
  crp_json_begin_array(json, "samples");
  for (size_t i = 0; i < hang->sample_count; ++i) {
    const ck_hang_sample_record *sample = &hang->samples[i];
    crp_json_begin_object(json, NULL);
    crp_json_timestamp(json, "time", (int64_t)(hang->started_ns + sample->after_ns) + to_realtime);
    crp_json_seconds(json, "after", sample->after_ns);
    crp_json_text(json, "capturedBy", ck_captured_by_name(sample->captured_by));
    ck_write_frames(json, &sample->stack);
    crp_json_end(json);
  }
  crp_json_end(json);
  crp_json_integer(json, "omittedSamples", (int64_t)hang->omitted_samples);
  crp_json_end(json);
}
