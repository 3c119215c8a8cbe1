// Sending to the journal (https://systemd.io/JOURNAL_NATIVE_PROTOCOL). System calls only.

#include "CReportParts/journal_socket.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

#include "CGround/clock.h"
#include "CGround/descriptors.h"
#include "CGround/memory.h"
#include "CGround/syscalls.h"
#include "CGround/unjumped.h"

// Signals may interrupt a call again and again.
#define TRIES 64

static const struct sockaddr_un journal = {.sun_family = AF_UNIX, .sun_path = "/run/systemd/journal/socket"};
static cgr_held_descriptor held = {-1, 0, 0};

// A connected socket, or -errno. For datagrams nothing waits here.
static int open_socket(void) {
  int fd = (int)cgr_syscall3(SYS_socket, AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (fd < 0) return fd;
  long error = cgr_syscall3(SYS_connect, fd, &journal, sizeof journal);
  if (error == 0) return fd;
  cgr_syscall1(SYS_close, fd);
  return (int)error;
}

void crp_journal_prepare(void) {
  int fd = open_socket();
  if (fd < 0) return;
  cgr_hold(&held, cgr_out_of_the_way(fd));
  cgr_syscall1(SYS_close, fd);
}

// The journal has much to do: its queue is full. Returns 0 or an errno.
static int wait_for_room(int fd, uint64_t until_ns) {
  uint64_t now = cgr_monotonic_ns(), left = now < until_ns ? until_ns - now : 0;
  struct timespec time = {.tv_sec = (time_t)(left / 1000000000), .tv_nsec = (long)(left % 1000000000)};
  struct pollfd entry = {.fd = fd, .events = POLLOUT};
  long result = cgr_syscall5(SYS_ppoll, &entry, 1, &time, NULL, 8);
  if (result == -EINTR) return cgr_report_out_of_time ? ETIME : 0;
  return result < 0 ? (int)-result : result == 0 ? EAGAIN : 0;
}

static int send_message(int fd, const struct msghdr *message, uint64_t until_ns) {
  for (int tries = 0; tries < TRIES; ++tries) {
    long sent = cgr_syscall3(SYS_sendmsg, fd, message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent >= 0) return 0;
    if (sent == -EINTR && cgr_report_out_of_time) return ETIME;
    int error = sent == -EAGAIN ? wait_for_room(fd, until_ns) : sent == -EINTR ? 0 : (int)-sent;
    if (error != 0) return error;
  }
  return EAGAIN;
}

static int send_bytes(int fd, const char *bytes, size_t size, uint64_t until_ns) {
  struct iovec piece = {.iov_base = (void *)bytes, .iov_len = size};
  return send_message(fd, &(struct msghdr){.msg_iov = &piece, .msg_iovlen = 1}, until_ns);
}

static int send_descriptor(int fd, int sent, uint64_t until_ns) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  cgr_zero(&control, sizeof control);
  control.header =
      (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(int)), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
  cgr_copy(CMSG_DATA(&control.header), &sent, sizeof sent);
  return send_message(fd, &(struct msghdr){.msg_control = &control, .msg_controllen = sizeof control}, until_ns);
}

// The journal maps the memory, so it takes none that could still change.
static int send_sealed(int fd, const char *bytes, size_t size, uint64_t until_ns) {
  int memory = (int)cgr_syscall2(SYS_memfd_create, "crashkit-journal", MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (memory < 0) return -memory;
  int seals = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  int error = cgr_write_all(memory, bytes, size);
  if (error == 0) error = (int)-cgr_syscall3(SYS_fcntl, memory, F_ADD_SEALS, seals);
  if (error == 0) error = send_descriptor(fd, memory, until_ns);
  cgr_syscall1(SYS_close, memory);
  return error;
}

static int send_by(int fd, const char *bytes, size_t size, uint64_t until_ns) {
  int error = send_bytes(fd, bytes, size, until_ns);
  return error == EMSGSIZE || error == ENOBUFS ? send_sealed(fd, bytes, size, until_ns) : error;
}

// The socket that is held leads nowhere if the journal has made a new one since.
static bool is_stale(int error) { return error == ECONNREFUSED || error == ENOTCONN || error == ECONNRESET; }

int crp_journal_send(const char *bytes, size_t size, uint64_t wait_ns) {
  uint64_t until_ns = cgr_monotonic_ns() + wait_ns;
  // No descriptor of this function may stay open if the time for a crash report runs out.
  ++cgr_guard_held;
  int error = cgr_still_ours(&held) ? send_by(held.fd, bytes, size, until_ns) : ENOTCONN;
  if (is_stale(error)) {
    int fd = open_socket();
    error = fd < 0 ? -fd : send_by(fd, bytes, size, until_ns);
    if (fd >= 0) cgr_syscall1(SYS_close, fd);
  }
  --cgr_guard_held;
  return error;
}
