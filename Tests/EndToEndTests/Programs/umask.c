// Takes its own rights to files away, and dies: umask early|late. The first of them says that whoever started it did
// so.

#include <string.h>
#include <sys/stat.h>

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "late") == 0) umask(0777);
  *(volatile int *)8 = 1;
}
