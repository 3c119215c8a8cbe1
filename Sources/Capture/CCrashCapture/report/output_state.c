// Bytes that an output lost. System calls only.

#include "report/output_state.h"

#include <errno.h>

static int sent_with;  // EFBIG: the size limit was met, and SIGXFSZ waits

void ck_output_drop_signals(const cgr_write_signals *held) {
  cgr_write_signals_take_back(held, sent_with);
  sent_with = 0;
}

void ck_output_note(ck_output *output, int error) {
  if (error == 0) return;
  if (error == EFBIG) sent_with = error;
  output->cut = true;
  if (output->error == 0) output->error = error;
}
