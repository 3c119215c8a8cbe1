#pragma once
// The environment that tests give to the programs they start. Nothing to call: linking it is enough.
