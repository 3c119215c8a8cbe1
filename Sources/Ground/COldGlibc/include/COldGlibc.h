#pragma once

#include "COldGlibc/moved_functions.h"
