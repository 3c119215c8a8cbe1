// Opens a plugin whose function throws and catches an exception; with the argument "crash" it dies afterwards.
#include <cstdio>
#include <cstring>
#include <dlfcn.h>

int main(int argc, char **argv) {
  if (argc < 2) return 64;
  void *plugin = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 66;
  }
  auto answer = reinterpret_cast<int (*)(const char *)>(dlsym(plugin, "plugin_answer"));
  std::printf("%d\n", answer("not a number"));
  std::fflush(stdout);
  if (argc > 2 && std::strcmp(argv[2], "crash") == 0) *(volatile int *)nullptr = 1;
}
