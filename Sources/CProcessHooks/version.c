#include "CProcessHooks.h"
int cph_version(void) { return 1; }
