#pragma once
// What Swift sees of CGround: nothing. C targets include its headers one by one, as "CGround/memory.h".
