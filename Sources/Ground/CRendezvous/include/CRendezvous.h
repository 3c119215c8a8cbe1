#pragma once
// Swift sees nothing of CRendezvous. C targets include its headers one by one.
