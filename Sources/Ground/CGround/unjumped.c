#include "CGround/unjumped.h"

CK_OF_THREAD volatile int ck_guard_held;
volatile bool ck_report_out_of_time;
