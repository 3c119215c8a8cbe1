// The JSON that section providers write. Calls json.c only.

#include "report/provider_json.h"

static void provider_object(void *json, const char *key) { crp_json_begin_object(json, key); }
static void provider_array(void *json, const char *key) { crp_json_begin_array(json, key); }
static void provider_end(void *json) { crp_json_end(json); }
static void provider_string(void *json, const char *key, const char *text, size_t size) {
  crp_json_string(json, key, text, size);
}
static void provider_integer(void *json, const char *key, int64_t value) { crp_json_integer(json, key, value); }
static void provider_number(void *json, const char *key, double value) { crp_json_number(json, key, value); }
static void provider_boolean(void *json, const char *key, bool value) { crp_json_boolean(json, key, value); }
static void provider_address(void *json, const char *key, uint64_t value) { crp_json_address(json, key, value); }

crv_json ck_json_for_providers(crp_json *json) {
  return (crv_json){.context = json,
                    .begin_object = provider_object,
                    .begin_array = provider_array,
                    .end = provider_end,
                    .string = provider_string,
                    .integer = provider_integer,
                    .number = provider_number,
                    .boolean = provider_boolean,
                    .address = provider_address};
}
