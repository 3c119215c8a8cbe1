// The data of the guard for a crash report. Data only.

#include "published.h"

#define TEXT_OF(number) #number
#define TEXT(macro) TEXT_OF(macro)

crv_memory_guard crashkit_memory_guard = {.version = CRV_MEMORY_GUARD_VERSION};

// A program exports no name that none of its libraries refers to: a preloaded CrashKit finds the guard of the program
// by a note. Through a name of its own, which nothing stands in for.
extern crv_memory_guard cmg_noted_guard __attribute__((alias("crashkit_memory_guard"), visibility("hidden")));

__asm__(
    ".pushsection .note.crashkit, \"a\", %note\n"
    ".balign 4\n"
    ".long 2f - 1f, 4f - 3f, " TEXT(CRV_NOTE_OF_MEMORY_GUARD) "\n"
    "1: .asciz \"" CRV_NOTE_OWNER "\"\n"
    "2: .balign 4\n"
    "3: .quad cmg_noted_guard - .\n"
    "4: .balign 4\n"
    ".popsection\n");
