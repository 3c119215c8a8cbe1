#pragma once
// The part of CGround that Swift sees. C targets include its headers one by one, as "CGround/memory.h".

#include "CGround/bounded_write.h"
#include "CGround/utf8.h"
