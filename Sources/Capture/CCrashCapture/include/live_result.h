#pragma once
// The result of a report of a process that continues.

#ifdef __cplusplus
extern "C" {
#endif

/// In place of an errno.
enum {
  CK_LIVE_NOT_INSTALLED = -1,
  CK_LIVE_CRASHING = -2,  // a crash is being captured: the process ends
};

typedef struct ck_live_result {
  int error;       // 0, an errno, or one of the above
  char path[512];  // of the report; empty if it went to stderr as numbered lines
} ck_live_result;

/// How many samples the report of a hang keeps.
enum { CK_HANG_SAMPLES = 128 };

/// What may hang.
typedef enum ck_hang_subject {
  CK_HANG_QUEUE,
  CK_HANG_EXECUTOR,
  CK_HANG_ACTOR,
  CK_HANG_EVENT_LOOP,
  CK_HANG_POOL,  // the threads that run Swift tasks
} ck_hang_subject;

#ifdef __cplusplus
}
#endif
