#pragma once
/// The version of the tables below; both sides of a preloaded process compare it.
int cph_version(void);

#include "metric_slots.h"
