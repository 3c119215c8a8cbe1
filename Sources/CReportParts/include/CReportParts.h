#pragma once
// Nothing here is for Swift: the headers beside this folder are for the C targets that write reports.
