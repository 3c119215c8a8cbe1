#pragma once

// Keeps a trigger's frame on the stack and its name in the report at every level of optimisation.
#define TRIGGER __attribute__((noinline, disable_tail_calls))
