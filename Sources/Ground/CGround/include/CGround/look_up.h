#pragma once
// The one way to the loader: what may be missing is looked up here. Of a look-up in vain libc keeps an error, which the
// program would read as its own, and memory for it, which a leak check finds once the main thread has ended. These
// functions take both away. As all calls to the loader do, they drop an error that waits on this thread for dlerror. So
// they are for the time when a library is loaded and for install, and not for the program's calls later on. Not for
// handlers: the loader takes locks. What is found is found without an allocation.

#pragma GCC visibility push(hidden)

/// As dlsym(3), with a library's handle, RTLD_DEFAULT or RTLD_NEXT.
void *cgr_look_up(void *library, const char *name);

/// As dlvsym(3) in the whole program.
void *cgr_look_up_version(const char *name, const char *version);

/// As dlopen(3).
void *cgr_open_library(const char *name, int flags);

#pragma GCC visibility pop
