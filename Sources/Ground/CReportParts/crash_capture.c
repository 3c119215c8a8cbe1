// Functions that the crash capture offers to others. Calls nothing.

#include "CReportParts/crash_capture.h"

#include <stdatomic.h>

static const crp_crash_capture *_Atomic lent;

void crp_crash_capture_lend(const crp_crash_capture *capture) { atomic_store(&lent, capture); }
const crp_crash_capture *crp_crash_capture_lent(void) { return atomic_load(&lent); }
