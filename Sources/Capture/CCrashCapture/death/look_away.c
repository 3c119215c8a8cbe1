// Makes a ThreadGuard in the same process ignore locks, by a function that changes a variable of the thread.

#include "death/look_away.h"

#include <dlfcn.h>
#include <stddef.h>

#include "CGround/look_up.h"

// In the same program or library. Not declared hidden, for gold gives a hidden weak symbol that is not there an
// address.
extern void threadguard_look_away(int change) __attribute__((weak));

static void (*look)(int change);

void ck_look_away_prepare(void) {
  look = threadguard_look_away;
  if (!look) look = (void (*)(int))cgr_look_up(RTLD_DEFAULT, "threadguard_look_away");
}

void ck_look_away(int change) {
  if (look) look(change);
}
