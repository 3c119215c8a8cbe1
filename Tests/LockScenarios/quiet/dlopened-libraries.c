// Opens and closes a library that locks, again and again, on two threads. The program's argument is the library.

#include <dlfcn.h>

#include "quiet.h"

enum { TIMES = 200 };

static const char *path;

static void *open_and_close(void *unused) {
  for (int i = 0; i < TIMES; i++) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    HOLDS(library);
    int (*work)(void) = (int (*)(void))dlsym(library, "plugin_work");
    HOLDS(work);
    MUST(work());
    MUST(dlclose(library));
  }
  return unused;
}

int main(int count, char **arguments) {
  pthread_t thread;
  HOLDS(count == 2);
  path = arguments[1];
  MUST(pthread_create(&thread, NULL, open_and_close, NULL));
  open_and_close(NULL);
  MUST(pthread_join(thread, NULL));
  puts("closed");
}
