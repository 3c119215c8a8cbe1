#include <libunwind.h>
