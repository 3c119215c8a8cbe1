#include "probe.h"
const probe hostile_probes[] = {{NULL, NULL}};
