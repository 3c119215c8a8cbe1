#pragma once
// Functions that glibc 2.32 to 2.34 moved from libpthread and libdl to libc. The move gave them a new version, which an
// older glibc lacks. The old version still exists, and both name the same code.
//
// MOVED(name, version) in one file of a library makes the library import the old version. It defines a hidden function
// of that name, to which the linker binds the library's own calls, and which jumps to glibc's. Such a library names
// libdl.so.2 and libpthread.so.0 as needed: glibc 2.31 has the functions there, and newer ones have empty files.

#if defined(__x86_64__)
#define MOVED_OLDEST "GLIBC_2.2.5"
/// The version of functions that came with glibc 2.3.3.
#define MOVED_IN_2_3_3 "GLIBC_2.3.3"
#define MOVED_MARK "endbr64"
#define MOVED_JUMP "jmp"
#define MOVED_TABLE "@PLT"
#elif defined(__aarch64__)
#define MOVED_OLDEST "GLIBC_2.17"
#define MOVED_IN_2_3_3 MOVED_OLDEST
#define MOVED_MARK "hint #34"
#define MOVED_JUMP "b"
#define MOVED_TABLE ""
#endif

// The mark at the start lets a processor that checks the targets of jumps come here through a pointer.
#define MOVED(name, version)                                                                            \
  __asm__(                                                                                              \
      ".text\n"                                                                                         \
      ".symver cog_" #name ", " #name "@" version                                                       \
      "\n"                                                                                              \
      ".globl " #name "\n.hidden " #name                                                                \
      "\n"                                                                                              \
      ".type " #name ", @function\n.p2align 4\n" #name ":\n.cfi_startproc\n" MOVED_MARK "\n" MOVED_JUMP \
      " cog_" #name MOVED_TABLE                                                                         \
      "\n"                                                                                              \
      ".cfi_endproc\n.size " #name ", . - " #name "\n");
