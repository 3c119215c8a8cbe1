// The word of the engine's lock.

#include "engine_lock.h"

_Atomic uint32_t ctg_engine_word;
