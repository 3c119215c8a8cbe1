#pragma once
// What Swift may know of those that write reports; the headers beside this folder are for C targets alone.

#include "CReportParts/journal_socket.h"
#include "CReportParts/version.h"
