#pragma once
int ck_version(void);
