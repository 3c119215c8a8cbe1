// Credentials in what the program says as it dies, and in the memory at its registers.

#include "live_capture.h"
#include "probe.h"

// As libstdc++ ends a program: these words are the message.
static void say_what(const char *what) {
  fputs("terminate called after throwing an instance of 'Failure'\n  what():  ", stderr);
  fputs(what, stderr);
}

// The message, whose first line is 70 bytes, with a credential that begins as many bytes behind its begin as wanted.
static int secret_at_the_cut(void) {
  static char text[20000];
  size_t place = number_from_environment("PROBE_PLACE") - 70;
  memset(text, 'x', sizeof text - 1);
  static const char secret[] = " postgres://u:Swordfish77@h/d ";
  memcpy(text + place, secret, sizeof secret - 1);
  install_crashkit();
  say_what(text);
  abort();
}

// The arguments are in registers as it faults.
__attribute__((noinline)) static void fault_with(const char *first, const char *second, const char *third) {
  __asm__ volatile("" : : "r"(first), "r"(second), "r"(third) : "memory");
  *(volatile char *)8 = 1;
}

static int secret_at_registers(void) {
  static const char said[] = "cannot open postgres://u:Swordfish77@h/d";
  static const char password[] = "\0Swordfish77\0and";
  static const char pair[] = "user=bob pw=hunter2hunter2";
  static const char harmless[] = "harmless words here";
  install_crashkit();
  say_what(said);
  bool is_last = number_from_environment("PROBE_PLACE") == 1;
  fault_with(is_last ? harmless : password + 1, is_last ? pair : pair + 12, is_last ? password + 5 : said + 17);
  return 7;
}

// A capture's text is cut at 1 KiB.
static int secret_in_capture(void) {
  char text[3000];
  memset(text, 'x', sizeof text);
  static const char secret[] = " postgres://u:Swordfish77@h/d ";
  memcpy(text + number_from_environment("PROBE_PLACE"), secret, sizeof secret - 1);
  install_crashkit();
  ck_live_result result;
  ck_capture(text, sizeof text, &result);
  return result.error;
}

const probe secret_probes[] = {
    {"secret-in-capture", secret_in_capture},
    {"secret-at-the-cut", secret_at_the_cut},
    {"secret-at-registers", secret_at_registers},
    {NULL, NULL},
};
