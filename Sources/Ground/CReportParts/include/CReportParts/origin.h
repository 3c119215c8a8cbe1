#pragma once
// The place of the process: its host, container, pod, unit and image, as far as the environment shows.

#include "CReportParts/json.h"

#pragma GCC visibility push(hidden)

/// Texts end with a zero, and are empty if nothing says it.
typedef struct crp_origin {
  char host[65];         // of uname(2)
  char container[65];    // 64 hexadecimal digits, or what OpenTelemetry's variable says
  char pod[254];         // of Kubernetes
  char name_space[254];  // the pod's
  char unit[256];        // systemd's service
  char image_tag[129];   // the container image's
} crp_origin;

/// Reads files below `root` ("" is the machine's own root), and the environment. Ordinary libc: not for handlers.
void crp_origin_read(crp_origin *origin, const char *root, bool with_host);

/// Reads the origin of this process once, for crp_origin_write. CRASHKIT_OPTIONS=hostname=no leaves the host's name
/// out. Ordinary libc: not for handlers.
void crp_origin_prepare(void);

/// What crp_origin_prepare read, or NULL if it did not end yet. Async-signal-safe.
const crp_origin *crp_origin_known(void);

/// Writes what is known, as keys of the object that is open. Async-signal-safe.
void crp_origin_write(crp_json *json);

#pragma GCC visibility pop
