// Takes the notes for the report of one death. Calls only the code that keeps them.

#include "report/last_signs.h"

#include "report/message.h"
#include "surroundings/guarded_memory.h"

void ck_last_signs_take(ck_last_signs *signs, int signal) {
  ck_message_take_turn(signs, signal);
  if (signal == SIGABRT) ck_guarded_memory_take_stop(signs);
}
