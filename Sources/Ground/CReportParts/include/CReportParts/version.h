#pragma once

/// The version of the package: that of the commands, and of what writes reports. CHANGELOG.md has it too.
#define CRP_VERSION "1.0.0-beta.1"
