// A program without a C library, so that its core file has next to nothing in it. Its argument says how it dies.

#define SYS_EXIT 93
#define SYS_RT_SIGACTION 134
#define SYS_SIGALTSTACK 132
#define SYS_CLONE 220
#define SYS_PPOLL 73
#define SYS_NANOSLEEP 101
#define SIGSEGV 11
#define SA_ONSTACK 0x08000000
// CLONE_VM, CLONE_FS, CLONE_FILES, CLONE_SIGHAND, CLONE_THREAD, CLONE_SYSVSEM
#define THREAD 0x50f00

struct action {
  void (*handler)(int);
  unsigned long flags;
  void (*restorer)(void);
  unsigned long mask;
};

struct stack {
  void *start;
  int flags;
  unsigned long size;
};

static char thread_stacks[2][1024] __attribute__((aligned(16)));
static char signal_stack[16384] __attribute__((aligned(16)));
long system_call(long a, long b, long c, long d, long e, long number);

__attribute__((noinline)) static int read_at(volatile int *place, int depth) {
  if (depth == 0) return *place;
  int other = depth;
  int sum = read_at(place, depth - 1) + other;
  return sum * 2;
}

__attribute__((noinline)) static long wait_forever(int number) {
  long result = number;
  do result += system_call(0, 0, 0, 0, 0, SYS_PPOLL);
  while (result);
  return result;
}

// Two words are on each thread's stack: what to call, and with what.
__asm__(
    ".text\n"
    ".type start_thread, @function\n"
    "start_thread:\n"
    ".cfi_startproc\n"
    ".cfi_undefined x30\n"
    "  mov x29, #0\n"
    "  ldp x1, x0, [sp]\n"
    "  blr x1\n"
    "  brk #1\n"
    ".cfi_endproc\n"
    ".size start_thread, . - start_thread\n"
    ".type make_thread, @function\n"
    "make_thread:\n"
    ".cfi_startproc\n"
    "  mov x8, #220\n"
    "  svc #0\n"
    "  cbz x0, start_thread\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size make_thread, . - make_thread\n"
    ".globl system_call\n"
    ".type system_call, @function\n"
    "system_call:\n"
    ".cfi_startproc\n"
    "  mov x8, x5\n"
    "  svc #0\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size system_call, . - system_call\n"
    // A function of an assembler file whose author wrote no tables: it makes a frame record, and calls.
    ".type without_tables, @function\n"
    "without_tables:\n"
    "  stp x29, x30, [sp, #-32]!\n"
    "  mov x29, sp\n"
    "  mov x2, x0\n"
    "  mov x0, x1\n"
    "  blr x2\n"
    "  ldp x29, x30, [sp], #32\n"
    "  ret\n"
    ".size without_tables, . - without_tables\n"
    // One whose tables need expressions: for the frame, for where x30 is, and for what x29 was.
    ".type with_expressions, @function\n"
    "with_expressions:\n"
    ".cfi_startproc\n"
    "  stp x29, x30, [sp, #-32]!\n"
    ".cfi_escape 0x0f, 2, 0x8f, 32\n"               // breg31 32
    ".cfi_escape 0x10, 30, 2, 0x48, 0x1c\n"         // lit24, minus
    ".cfi_escape 0x16, 29, 4, 8, 32, 0x1c, 0x06\n"  // const1u 32, minus, deref
    "  mov x2, x0\n"
    "  mov x0, x1\n"
    "  blr x2\n"
    "  ldp x29, x30, [sp], #32\n"
    "  ret\n"
    ".cfi_endproc\n"
    ".size with_expressions, . - with_expressions\n"
    // One that keeps its return address in another register.
    ".type keeps_link, @function\n"
    "keeps_link:\n"
    ".cfi_startproc\n"
    "  mov x20, x30\n"
    ".cfi_register x30, x20\n"
    "  bl with_expressions\n"
    "  ret x20\n"
    ".cfi_endproc\n"
    ".size keeps_link, . - keeps_link\n"
    // One that calls nothing, and makes none.
    ".type leaf_without_tables, @function\n"
    "leaf_without_tables:\n"
    "  ldr x0, [x0]\n"
    "  ret\n"
    ".size leaf_without_tables, . - leaf_without_tables\n");
long make_thread(long flags, void *stack);
long without_tables(long (*function)(long *), long *argument);
long keeps_link(long (*function)(long *), long *argument);
long leaf_without_tables(long *place);

static void begin_thread(int number) {
  long *top = (long *)(thread_stacks[number] + sizeof *thread_stacks) - 2;
  top[0] = (long)wait_forever;
  top[1] = number;
  make_thread(THREAD, top);
}

static void sleep_a_little(void) {
  long time[2] = {0, 200000000};
  system_call((long)time, 0, 0, 0, 0, SYS_NANOSLEEP);
}

__attribute__((noinline)) static void give_up(int number) { *(volatile int *)(long)(number * 8) = 1; }

static void handle(int number) {
  give_up(number);
  give_up(number + 1);
}

static void use_handler(void) {
  struct stack stack = {signal_stack, 0, sizeof signal_stack};
  struct action action = {handle, SA_ONSTACK, 0, 0};
  system_call((long)&stack, 0, 0, 0, 0, SYS_SIGALTSTACK);
  system_call(SIGSEGV, (long)&action, 0, 8, 0, SYS_RT_SIGACTION);
}

#pragma clang diagnostic ignored "-Winfinite-recursion"
__attribute__((noinline)) static int deep(volatile int *p) {
  volatile int here[64];
  here[0] = *p + 1;
  return deep(here) + here[0];
}

__attribute__((noinline)) static void fill(char *room, int count) {
  for (int i = 0; i < count; ++i) ((volatile char *)room)[i] = (char)(0x41 + i % 8);
}

__attribute__((noinline)) static int smash(int count) {
  char room[32];
  fill(room, count);
  return room[0];
}

__attribute__((noinline)) static void fill_with(long *room, long word, int count) {
  for (int i = 0; i < count; ++i) ((volatile long *)room)[i] = word;
}

// Overwrites its return address with one that a call of this program could return to.
__attribute__((noinline)) static long return_to(long word, int count) {
  long room[4];
  fill_with(room, word, count);
  return room[0];
}

__attribute__((noinline)) static long middle(long *place) { return leaf_without_tables(place) + 1; }

__attribute__((noinline)) static long touch(long *place) { return *place; }

__attribute__((noinline)) static int call(int (*function)(int), int value) { return function(value) + 1; }

__attribute__((used)) static void begin(long *stack) {
  int volatile start = 0;
  int (*volatile nothing)(int) = 0;
  char kind = stack[0] > 1 ? *(char *)stack[2] : 0;
  switch (kind) {
    case 't':
      begin_thread(0);
      begin_thread(1);
      sleep_a_little();
      read_at((volatile int *)8, 3);
      break;
    case 'h':
      use_handler();
      read_at((volatile int *)8, 2);
      break;
    case 'n': call(nothing, 3); break;
    case 'o': deep(&start); break;
    case 's': smash(128); break;
    case 'r': return_to((long)__builtin_return_address(0), 16); break;
    case 'e': keeps_link(touch, (long *)16); break;
    case 'w': without_tables(middle, (long *)16); break;
    default: break;
  }
  system_call(kind, 0, 0, 0, 0, SYS_EXIT);
}

__asm__(
    ".globl _start\n"
    ".type _start, @function\n"
    "_start:\n"
    ".cfi_startproc\n"
    ".cfi_undefined x30\n"
    "  mov x29, #0\n"
    "  mov x30, #0\n"
    "  mov x0, sp\n"
    "  bl begin\n"
    "  brk #1\n"
    ".cfi_endproc\n"
    ".size _start, . - _start\n");
