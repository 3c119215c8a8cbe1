#include "CCrashKitPreload.h"
#include "CCrashCapture.h"
__attribute__((constructor)) static void start(void) { (void)ck_version(); }
