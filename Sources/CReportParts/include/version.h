#pragma once

/// Of what writes reports.
#define CK_VERSION "0.1.0"
