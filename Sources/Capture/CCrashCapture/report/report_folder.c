// The folder of the reports, held since install. System calls only.

#include "report/report_folder.h"

#include <fcntl.h>
#include <stddef.h>

#include "CGround/descriptors.h"
#include "CGround/open_file.h"
#include "CGround/syscalls.h"
#include "CGround/text.h"

static cgr_held_descriptor directory = {-1, 0, 0};
char ck_folder_path[400];

void ck_folder_prepare(int fd, const char *path) {
  cgr_text text = CGR_TEXT(ck_folder_path);
  cgr_text_string(&text, path);
  cgr_text_terminated(&text);
  cgr_hold(&directory, fd < 0 ? -1 : cgr_out_of_the_way(fd));
  cgr_open_prepare(fd);
  if (fd >= 0) cgr_syscall1(SYS_close, fd);
}

int ck_folder_descriptor(void) { return cgr_still_ours(&directory) ? directory.fd : -1; }
