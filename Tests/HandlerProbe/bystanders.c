#include "probe.h"
const probe bystander_probes[] = {{NULL, NULL}};
