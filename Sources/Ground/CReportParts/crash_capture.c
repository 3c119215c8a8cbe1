// What the crash capture lends to others. Calls nothing.

#include "CReportParts/crash_capture.h"

#include <stdatomic.h>

static const ck_crash_capture *_Atomic lent;

void ck_crash_capture_lend(const ck_crash_capture *capture) { atomic_store(&lent, capture); }
const ck_crash_capture *ck_crash_capture_lent(void) { return atomic_load(&lent); }
