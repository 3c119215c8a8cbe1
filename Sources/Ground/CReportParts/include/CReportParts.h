#pragma once
// The part for Swift of the writers of reports. The headers beside this folder are only for C targets.

#include "CReportParts/journal_socket.h"
#include "CReportParts/version.h"
