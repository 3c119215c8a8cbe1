// libcurl without its headers and without linking it: the library is opened when needed. Two of its functions are
// variadic, so Swift cannot call them. The numbers are those of curl/curl.h, which never change.
#ifndef CCURL_SHIM_H
#define CCURL_SHIM_H

#include <stddef.h>

enum ccurl_option {
  CCURL_WRITE_DATA = 10001,
  CCURL_URL = 10002,
  CCURL_PROXY = 10004,
  CCURL_ERROR_BUFFER = 10010,
  CCURL_POST_FIELDS = 10015,
  CCURL_USER_AGENT = 10018,
  CCURL_HTTP_HEADER = 10023,
  CCURL_HEADER_DATA = 10029,
  CCURL_CUSTOM_REQUEST = 10036,
  CCURL_CA_FILE = 10065,
  CCURL_PROXY_CA_FILE = 10246,
  CCURL_WRITE_FUNCTION = 20011,
  CCURL_HEADER_FUNCTION = 20079,
  CCURL_POST_FIELD_SIZE = 30120,
  CCURL_NO_BODY = 44,
  CCURL_POST = 47,
  CCURL_FOLLOW_LOCATION = 52,
  CCURL_VERIFY_PEER = 64,
  CCURL_GET = 80,
  CCURL_VERIFY_HOST = 81,
  CCURL_NO_SIGNAL = 99,
  CCURL_TIMEOUT_MS = 155,
  CCURL_CONNECT_TIMEOUT_MS = 156,
  CCURL_PROTOCOLS = 181,
};

enum ccurl_limits { CCURL_ERROR_SIZE = 256, CCURL_HTTP_AND_HTTPS = 3 };

// What curl_easy_perform(3) answers.
enum ccurl_code {
  CCURL_OK = 0,
  CCURL_UNSUPPORTED_PROTOCOL = 1,
  CCURL_BAD_URL = 3,
  CCURL_WRITE_ERROR = 23,
  CCURL_TLS_CERTIFICATE = 60,
  CCURL_CA_FILE_UNREADABLE = 77,
};

// CURLINFO_RESPONSE_CODE
enum ccurl_info { CCURL_RESPONSE_CODE = 0x200002 };

typedef int ccurl_set(void *handle, int option, ...);
typedef int ccurl_get(void *handle, int info, ...);
typedef size_t ccurl_write(char *bytes, size_t size, size_t count, void *user);

// curl_easy_setopt(3) at the address, with a number, a size (curl_off_t has 64 bits), a pointer or a function.
static inline int ccurl_set_number(void *set, void *handle, int option, long value) {
  return ((ccurl_set *)set)(handle, option, value);
}
static inline int ccurl_set_size(void *set, void *handle, int option, long long value) {
  return ((ccurl_set *)set)(handle, option, value);
}
static inline int ccurl_set_pointer(void *set, void *handle, int option, const void *value) {
  return ((ccurl_set *)set)(handle, option, value);
}
static inline int ccurl_set_function(void *set, void *handle, int option, ccurl_write *value) {
  return ((ccurl_set *)set)(handle, option, value);
}

// curl_easy_getinfo(3) at the address.
static inline int ccurl_get_number(void *get, void *handle, int info, long *value) {
  return ((ccurl_get *)get)(handle, info, value);
}

#endif
