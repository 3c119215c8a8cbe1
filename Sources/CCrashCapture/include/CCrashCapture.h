#pragma once
// The capture core: what CrashKit's Swift face and the preload library call.

#include "install.h"
