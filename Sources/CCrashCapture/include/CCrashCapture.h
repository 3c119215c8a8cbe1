#pragma once
#include "attributes.h"
#include "breadcrumbs.h"
#include "region_view.h"

int ck_version(void);
