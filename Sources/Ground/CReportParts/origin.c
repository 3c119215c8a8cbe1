// The place of the process. Everything is read before a signal comes: only crp_origin_write is async-signal-safe.

#include "CReportParts/origin.h"

#include <limits.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/utsname.h>

#include "CGround/environment.h"
#include "CGround/procfile.h"
#include "CGround/text.h"
#include "CSecrets.h"

// A text without credentials has at most MASKED_MAX bytes. The longest field has 256.
enum { ID_DIGITS = 64, MASKED_MAX = 1024 };

enum { UNREAD, BEING_READ, READ };
static _Atomic int state;
static crp_origin origin_of_process;

// --- Texts -------------------------------------------------------------------------------------------------------

// Takes nothing rather than a part, and no credentials. What is known already stays. The `beyond` bytes behind the text
// show what it means: in a list, a comma may stand inside of a password.
static void take_before(char *out, size_t capacity, const char *from, size_t size, size_t beyond) {
  char room[MASKED_MAX];
  if (out[0] || size == 0 || size >= capacity) return;
  csec_safe_text safe = csec_without_secrets(from, size + beyond, room, sizeof room);
  const char *end = beyond > 0 ? memchr(safe.bytes, ',', safe.size) : NULL;
  size_t kept = end ? (size_t)(end - safe.bytes) : safe.size;
  if (kept >= capacity) return;
  memcpy(out, safe.bytes, kept);
  out[kept] = 0;
}

static void take(char *out, size_t capacity, const char *from, size_t size) {
  take_before(out, capacity, from, size, 0);
}

#define TAKE(field, from, size) take(field, sizeof(field), from, size)

static bool is_hexadecimal(char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); }

// Finds the last 64 digits that stand alone; returns NULL if the line has no such digits.
static const char *find_id(const char *line, const char *end) {
  const char *found = NULL;
  for (const char *at = line; at < end;) {
    const char *start = at;
    while (at < end && is_hexadecimal(*at)) ++at;
    if (at - start == ID_DIGITS) found = start;
    if (at == start) ++at;
  }
  return found;
}

// --- The environment ---------------------------------------------------------------------------------------------

static void take_variable(char *out, size_t capacity, const char *name) {
  const char *value = cgr_environment(name);
  if (value) take(out, capacity, value, strlen(value));
}

// OpenTelemetry's list of key=value: https://opentelemetry.io/docs/specs/otel/resource/sdk/
static void take_resource(char *out, size_t capacity, const char *key) {
  const char *at = cgr_environment("OTEL_RESOURCE_ATTRIBUTES");
  for (size_t key_size = strlen(key); at && *at;) {
    size_t size = strcspn(at, ",");
    if (size > key_size && strncmp(at, key, key_size) == 0 && at[key_size] == '=')
      take_before(out, capacity, at + key_size + 1, size - key_size - 1, strlen(at + size));
    at += size + (at[size] == ',');
  }
}

static void read_environment(crp_origin *origin) {
  take_resource(origin->container, sizeof origin->container, "container.id");
  take_resource(origin->pod, sizeof origin->pod, "k8s.pod.name");
  take_variable(origin->pod, sizeof origin->pod, "POD_NAME");
  take_resource(origin->name_space, sizeof origin->name_space, "k8s.namespace.name");
  take_variable(origin->name_space, sizeof origin->name_space, "POD_NAMESPACE");
  take_resource(origin->image_tag, sizeof origin->image_tag, "container.image.tags");
  take_resource(origin->image_tag, sizeof origin->image_tag, "container.image.tag");
  take_variable(origin->image_tag, sizeof origin->image_tag, "IMAGE_TAG");
}

// --- Files -------------------------------------------------------------------------------------------------------

static bool open_lines(cgr_lines *lines, const char *root, const char *path) {
  char bytes[PATH_MAX];
  cgr_text whole = CGR_TEXT(bytes);
  cgr_text_string(&whole, root);
  cgr_text_string(&whole, path);
  const char *terminated = cgr_text_terminated(&whole);
  return !whole.cut && cgr_lines_open(lines, terminated);
}

// The last folder of a control group's path that is a service: "/system.slice/shop.service/worker". That of an engine
// which runs containers is not the program's.
static void take_unit(crp_origin *origin, const char *group, const char *end) {
  static const char suffix[] = ".service";
  static const char *const engines[] = {"docker.service", "containerd.service", "crio.service", "kubelet.service"};
  const char *found = NULL, *found_end = NULL;
  for (const char *at = group; at < end;) {
    const char *slash = memchr(at, '/', (size_t)(end - at)), *stop = slash ? slash : end;
    size_t size = (size_t)(stop - at), least = sizeof suffix - 1;
    if (size > least && memcmp(stop - least, suffix, least) == 0) found = at, found_end = stop;
    at = stop + 1;
  }
  for (size_t i = 0; found && i < sizeof engines / sizeof *engines; ++i) {
    size_t size = strlen(engines[i]);
    if (size == (size_t)(found_end - found) && memcmp(found, engines[i], size) == 0) return;
  }
  if (found) TAKE(origin->unit, found, (size_t)(found_end - found));
}

// Each line is "number:controllers:/path".
static void read_groups(crp_origin *origin, const char *root) {
  cgr_lines lines;
  if (!open_lines(&lines, root, "/proc/self/cgroup")) return;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    const char *path = memchr(line, '/', (size_t)(end - line)), *id = path ? find_id(path, end) : NULL;
    if (id) TAKE(origin->container, id, ID_DIGITS);
    if (path) take_unit(origin, path, end);
  }
  cgr_lines_close(&lines);
}

// Finds the digits of "…containers/ID/", the folder of a container of Docker or Podman; returns NULL if the line has
// no such folder.
static const char *find_folder(const char *line, const char *end) {
  static const char name[] = "containers/";
  for (const char *at = line; (at = memmem(at, (size_t)(end - at), name, sizeof name - 1)) != NULL;) {
    at += sizeof name - 1;
    if (end - at > ID_DIGITS && at[ID_DIGITS] == '/' && find_id(at, at + ID_DIGITS)) return at;
  }
  return NULL;
}

// In a namespace of control groups the path is "/". The engine mounts files from the container's folder then, such as
// /etc/hostname.
static void read_mounts(crp_origin *origin, const char *root) {
  cgr_lines lines;
  if (origin->container[0] || !open_lines(&lines, root, "/proc/self/mountinfo")) return;
  const char *end;
  for (const char *line; (line = cgr_lines_next(&lines, &end)) != NULL;) {
    const char *id = find_folder(line, end);
    if (id) TAKE(origin->container, id, ID_DIGITS);
  }
  cgr_lines_close(&lines);
}

static void read_name_space(crp_origin *origin, const char *root) {
  cgr_lines lines;
  if (!open_lines(&lines, root, "/var/run/secrets/kubernetes.io/serviceaccount/namespace")) return;
  const char *end, *line = cgr_lines_next(&lines, &end);
  if (line) TAKE(origin->name_space, line, (size_t)(end - line));
  cgr_lines_close(&lines);
}

// --- The origin --------------------------------------------------------------------------------------------------

void crp_origin_read(crp_origin *origin, const char *root, bool with_host) {
  *origin = (crp_origin){0};
  struct utsname names;
  bool has_name = with_host && uname(&names) == 0;
  if (has_name) TAKE(origin->host, names.nodename, strlen(names.nodename));
  read_environment(origin);
  read_groups(origin, root);
  read_mounts(origin, root);
  bool is_pod = cgr_environment("KUBERNETES_SERVICE_HOST") != NULL;
  if (is_pod || origin->pod[0]) read_name_space(origin, root);
  // Kubernetes gives the pod's name to its host, unless the pod asks for another one.
  if (is_pod) TAKE(origin->pod, origin->host, strlen(origin->host));
}

void crp_origin_prepare(void) {
  int unread = UNREAD;
  if (!atomic_compare_exchange_strong(&state, &unread, BEING_READ)) return;
  char word[16];
  bool with_host = true;
  if (cgr_option("CRASHKIT_OPTIONS", "hostname", word, sizeof word)) cgr_read_truth(word, &with_host);
  crp_origin_read(&origin_of_process, "", with_host);
  atomic_store_explicit(&state, READ, memory_order_release);
}

static void write_known(crp_json *json, const char *key, const char *text) {
  if (text[0]) crp_json_text(json, key, text);
}

const crp_origin *crp_origin_known(void) {
  return atomic_load_explicit(&state, memory_order_acquire) == READ ? &origin_of_process : NULL;
}

void crp_origin_write(crp_json *json) {
  const crp_origin *origin = crp_origin_known();
  if (!origin) return;
  write_known(json, "name", origin->host);
  write_known(json, "containerId", origin->container);
  write_known(json, "pod", origin->pod);
  write_known(json, "namespace", origin->name_space);
  write_known(json, "unit", origin->unit);
  write_known(json, "imageTag", origin->image_tag);
}
