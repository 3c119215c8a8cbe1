// Restores the terminal if the program dies by a signal while it draws on the whole screen.
#ifndef CTERMINAL_H
#define CTERMINAL_H

#include <termios.h>

#pragma GCC visibility push(hidden)

// From now on a fatal signal first sets this mode on the terminal and writes these bytes to it, and then does what it
// would have done. The bytes are copied; at most 64 are kept. 0, or the errno.
int terminal_guard_install(int descriptor, const struct termios *mode, const char *bytes, unsigned long length);

// The mode and the bytes no longer need to be set and written: somebody has just done so. And they do again.
void terminal_guard_set_armed(int armed);

#pragma GCC visibility pop

#endif
