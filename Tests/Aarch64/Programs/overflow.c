// Calls itself until the stack is full.
__attribute__((noinline)) static int deep(volatile int *p) {
  volatile int here[64];
  here[0] = *p + 1;
  return deep(here) + here[0];
}

int main(void) {
  volatile int start = 0;
  return deep(&start);
}
