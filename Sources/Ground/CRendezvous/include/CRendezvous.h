#pragma once
// What Swift sees of CRendezvous: nothing. C targets include its headers one by one.
