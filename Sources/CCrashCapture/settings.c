// What install decided. Holds the memory only.

#include "settings.h"

ck_settings ck_current_settings;
