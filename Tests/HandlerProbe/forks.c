#include "probe.h"
const probe fork_probes[] = {{NULL, NULL}};
