// Alternate signal stacks, and stacks that are too deep or nobody's.
#include "probe.h"
const probe stack_probes[] = {{NULL, NULL}};
