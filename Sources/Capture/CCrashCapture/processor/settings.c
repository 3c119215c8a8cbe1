// The decisions of install. Holds the memory only.

#include "processor/settings.h"

ck_settings ck_current_settings;
