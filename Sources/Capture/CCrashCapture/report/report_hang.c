// The hang section.

#include "CGround/clock.h"
#include "report/hang.h"
#include "CGround/memory.h"
#include "report/report_stages.h"

void ck_write_hang(ck_report *report) {
  const ck_hang *hang = report->hang;
  if (!hang) return;
  ck_json *json = &report->json;
  int64_t to_realtime = (int64_t)ck_realtime_ns() - (int64_t)ck_monotonic_ns();
  ck_json_begin_object(json, "hang");
  ck_json_text(json, "queue", hang->queue);
  if (hang->thread > 0) ck_json_integer(json, "thread", hang->thread);
  ck_json_timestamp(json, "startedAt", (int64_t)hang->started_ns + to_realtime);
  ck_json_seconds(json, "threshold", hang->threshold_ns);
  ck_json_seconds(json, "duration", hang->duration_ns);
  ck_json_boolean(json, "ended", hang->ended);
  ck_json_boolean(json, "recovered", hang->recovered);
  ck_json_begin_array(json, "samples");
  for (size_t i = 0; i < hang->sample_count; ++i) {
    const ck_hang_sample_record *sample = &hang->samples[i];
    ck_json_begin_object(json, NULL);
    ck_json_timestamp(json, "time", (int64_t)(hang->started_ns + sample->after_ns) + to_realtime);
    ck_json_seconds(json, "after", sample->after_ns);
    ck_write_frames(json, &sample->stack);
    ck_json_end(json);
  }
  ck_json_end(json);
  ck_json_integer(json, "omittedSamples", (int64_t)hang->omitted_samples);
  ck_json_end(json);
}
