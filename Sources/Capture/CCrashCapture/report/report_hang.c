// The hang section.

#include "CGround/clock.h"
#include "report/hang.h"
#include "CGround/memory.h"
#include "report/report_stages.h"

void ck_write_hang(ck_report *report) {
  const ck_hang *hang = report->hang;
  if (!hang) return;
  crp_json *json = &report->json;
  int64_t to_realtime = (int64_t)cgr_realtime_ns() - (int64_t)cgr_monotonic_ns();
  crp_json_begin_object(json, "hang");
  crp_json_text(json, "queue", hang->queue);
  if (hang->thread > 0) crp_json_integer(json, "thread", hang->thread);
  crp_json_timestamp(json, "startedAt", (int64_t)hang->started_ns + to_realtime);
  crp_json_seconds(json, "threshold", hang->threshold_ns);
  crp_json_seconds(json, "duration", hang->duration_ns);
  crp_json_boolean(json, "ended", hang->ended);
  crp_json_boolean(json, "recovered", hang->recovered);
  crp_json_begin_array(json, "samples");
  for (size_t i = 0; i < hang->sample_count; ++i) {
    const ck_hang_sample_record *sample = &hang->samples[i];
    crp_json_begin_object(json, NULL);
    crp_json_timestamp(json, "time", (int64_t)(hang->started_ns + sample->after_ns) + to_realtime);
    crp_json_seconds(json, "after", sample->after_ns);
    ck_write_frames(json, &sample->stack);
    crp_json_end(json);
  }
  crp_json_end(json);
  crp_json_integer(json, "omittedSamples", (int64_t)hang->omitted_samples);
  crp_json_end(json);
}
