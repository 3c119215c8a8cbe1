#include "CCrashCapture.h"
#include "CProcessHooks.h"
#include <libunwind.h>
int ck_version(void) { return cph_version() + (int)sizeof(unw_accessors_t) * 0; }
