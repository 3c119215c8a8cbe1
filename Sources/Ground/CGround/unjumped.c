#include "CGround/unjumped.h"

CGR_OF_THREAD volatile int cgr_guard_held;
volatile bool cgr_report_out_of_time;
