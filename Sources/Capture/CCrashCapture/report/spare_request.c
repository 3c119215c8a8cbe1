// Asks `crashsym run` for a file. A program that gave up its user and became another program by exec cannot make a file
// in the folder. It cannot keep an earlier descriptor either, because other programs would inherit the descriptor too.

#include "report/spare_request.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "CGround/environment.h"

static int connect_to(const char *socket_name) {
  // Abstract: the path of a file would lead through the folder that is closed to this process.
  struct sockaddr_un address = {.sun_family = AF_UNIX};
  size_t length = strlen(socket_name);
  if (length == 0 || length >= sizeof address.sun_path) return -1;
  memcpy(address.sun_path + 1, socket_name, length);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  if (fd < 0) return -1;
  struct timeval second = {.tv_sec = 1};
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  if (setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &second, sizeof second) == 0
      && setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second) == 0
      && connect(fd, (const struct sockaddr *)&address, size) == 0)
    return fd;
  close(fd);
  return -1;
}

// The name may outlive `crashsym run`, and any user may take it then: only root's process is trusted.
static bool is_from_root(int fd) {
  struct ucred peer;
  socklen_t size = sizeof peer;
  return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 && peer.uid == 0;
}

static int receive(int fd, char *name, size_t capacity) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec text = {.iov_base = name, .iov_len = capacity - 1};
  struct msghdr message = {
      .msg_iov = &text, .msg_iovlen = 1, .msg_control = &control, .msg_controllen = sizeof control};
  ssize_t size = recvmsg(fd, &message, MSG_CMSG_CLOEXEC);
  if (size <= 0) return -1;
  name[size] = 0;
  const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
  int file = -1;
  if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS
      && header->cmsg_len == CMSG_LEN(sizeof file))
    memcpy(&file, CMSG_DATA(header), sizeof file);
  return file;
}

int ck_spare_request(char *name, size_t capacity) {
  const char *socket_name = cgr_environment("CRASHKIT_SPARE");
  int fd = socket_name ? connect_to(socket_name) : -1;
  if (fd < 0) return -1;
  int file = is_from_root(fd) ? receive(fd, name, capacity) : -1;
  close(fd);
  return file;
}
