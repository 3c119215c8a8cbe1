// System calls that Swift's Glibc module does not show.
#ifndef CLINUXCALLS_SHIM_H
#define CLINUXCALLS_SHIM_H

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <malloc.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/auxv.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <stddef.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

// No core is dumped of this process from now on, wherever the kernel would send it.
static inline int linux_forbid_core_dumps(void) { return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0); }

// Whether this process has more privileges than who started it: setuid, setgid, file capabilities.
static inline int linux_is_privileged(void) { return getauxval(AT_SECURE) != 0; }

// Copies memory of this process as a report's writer does. 0, or the errno.
static inline int linux_copy_own_memory(const void *from, void *to, unsigned long size) {
  unsigned long source[2] = {(unsigned long)from, size}, target[2] = {(unsigned long)to, size};
  long count = syscall(SYS_process_vm_readv, getpid(), target, 1ul, source, 1ul, 0ul);
  return count == (long)size ? 0 : count < 0 ? errno : EIO;
}

// Whether a system call of this number waits for the events of an epoll.
static inline int linux_is_epoll_wait(long number) {
#ifdef SYS_epoll_wait
  if (number == SYS_epoll_wait) return 1;
#endif
#ifdef SYS_epoll_pwait2
  if (number == SYS_epoll_pwait2) return 1;
#endif
  return number == SYS_epoll_pwait;
}

// The clock of a thread's processor time, by the thread's id: include/linux/posix-timers.h, CPUCLOCK_SCHED of a thread.
static inline clockid_t linux_thread_clock(int thread) { return (clockid_t)((~(unsigned)thread << 3) | 6u); }

// Names the calling thread, in 15 bytes.
static inline void linux_name_thread(const char *name) { prctl(PR_SET_NAME, name, 0, 0, 0); }

// A pipe that programs which are started do not get: its reading and its writing end. 0, or the errno.
static inline int linux_pipe(int ends[2]) { return syscall(SYS_pipe2, ends, O_CLOEXEC) == 0 ? 0 : errno; }

// A descriptor that is readable once the process of this id has ended, or -1 with errno.
static inline int linux_open_process(int pid) { return (int)syscall(SYS_pidfd_open, pid, 0); }

// Sends a signal with a value to a thread of a process. 0, or the errno.
static inline int linux_queue_signal(int process, int thread, int signal, unsigned long value) {
  siginfo_t info;
  memset(&info, 0, sizeof info);
  info.si_signo = signal;
  info.si_code = SI_QUEUE;
  info.si_pid = getpid();
  info.si_uid = getuid();
  info.si_value.sival_ptr = (void *)value;
  return syscall(SYS_rt_tgsigqueueinfo, process, thread, signal, &info) == 0 ? 0 : errno;
}

// The calling process is killed when the thread that started it ends.
static inline void linux_die_with_starter(void) { prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); }

// Opens a file or folder as a place only: nothing happens to what lies there, be it a pipe or a device. A descriptor,
// or -1 with errno. glibc shows O_PATH by its own name only to programs that ask for GNU extensions.
static inline int linux_open_place(int directory, const char *path, int flags) {
  return openat(directory, path, __O_PATH | O_CLOEXEC | flags);
}

// As statvfs(3), whose name in Swift is that of its structure.
static inline int linux_statvfs(const char *path, struct statvfs *status) { return statvfs(path, status); }

// The two signals that glibc keeps for itself, 32 and 33. posix_spawn(3) leaves them ignored in the new process, even
// if they are not ignored here, unless the attributes name them as default signals. glibc's own functions of signal
// sets do not name them.
static inline void linux_spawn_with_own_signals(posix_spawnattr_t *attributes) {
  short flags = 0;
  sigset_t set;
  posix_spawnattr_getflags(attributes, &flags);
  if (!(flags & POSIX_SPAWN_SETSIGDEF))
    sigemptyset(&set);
  else
    posix_spawnattr_getsigdefault(attributes, &set);
  for (int number = 32; number <= 33; number++) {
    // As the kernel has it: the action, flags, the restorer, the mask. SIG_IGN is 1.
    unsigned long action[4] = {0};
    if (syscall(SYS_rt_sigaction, number, NULL, action, 8ul) != 0 || action[0] == 1) continue;
    ((unsigned long *)&set)[0] |= 1ul << (number - 1);
  }
  posix_spawnattr_setsigdefault(attributes, &set);
  posix_spawnattr_setflags(attributes, flags | POSIX_SPAWN_SETSIGDEF);
}

// The mask of this thread with glibc's own signals in it, which pthread_sigmask(3) neither shows nor sets.
static inline unsigned long linux_signal_mask(void) {
  unsigned long mask = 0;
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, NULL, &mask, 8ul);
  return mask;
}
static inline void linux_set_signal_mask(unsigned long mask) {
  syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, 8ul);
}

// The path that this process was started by, for a machine without /proc.
static inline const char *linux_started_path(void) { return (const char *)getauxval(AT_EXECFN); }

// Hands a descriptor with a few bytes to the program at the other end of a local socket; never waits. 0, or the errno.
static inline int linux_send_descriptor(int to, int descriptor, const char *bytes, unsigned long size) {
  union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
  } control;
  struct iovec text = {(void *)bytes, size};
  struct msghdr message = {0};
  message.msg_iov = &text;
  message.msg_iovlen = 1;
  message.msg_control = &control;
  message.msg_controllen = sizeof control;
  control.header.cmsg_level = SOL_SOCKET;
  control.header.cmsg_type = SCM_RIGHTS;
  control.header.cmsg_len = CMSG_LEN(sizeof(int));
  *(int *)(void *)CMSG_DATA(&control.header) = descriptor;
  return sendmsg(to, &message, MSG_DONTWAIT | MSG_NOSIGNAL) < 0 ? errno : 0;
}

// A local socket without a file that listens under this name and raises SIGIO when a program calls, or -1 with errno.
static inline int linux_listen_by_signal(const char *name, unsigned long length) {
  struct sockaddr_un address = {0};
  address.sun_family = AF_UNIX;
  if (length >= sizeof address.sun_path) return errno = EINVAL, -1;
  memcpy(address.sun_path + 1, name, length);
  int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + length);
  if (fcntl(fd, F_SETOWN, getpid()) == 0 && fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC) == 0
      && bind(fd, (const struct sockaddr *)&address, size) == 0 && listen(fd, 16) == 0)
    return fd;
  int error = errno;
  close(fd);
  return errno = error, -1;
}

// The next program that calls there, and its process, or -1.
static inline int linux_accept_process(int listener, int *pid) {
  int fd = accept4(listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
  // As struct ucred, which C++ and Swift do not see.
  int sender[3] = {0};
  socklen_t size = sizeof sender;
  if (fd >= 0) getsockopt(fd, SOL_SOCKET, SO_PEERCRED, sender, &size);
  *pid = sender[0];
  return fd;
}

// Renames within a folder's tree, and never replaces. 0, or -1 with errno.
static inline int linux_rename_new(int directory, const char *from, const char *to) {
  return (int)syscall(SYS_renameat2, directory, from, directory, to, RENAME_NOREPLACE);
}

// Whether a process is stopped, by a signal or by a debugger.
static inline int linux_is_stopped(int pid) {
  char path[32], text[512];
  snprintf(path, sizeof path, "/proc/%d/stat", pid);
  int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  ssize_t size = file < 0 ? 0 : read(file, text, sizeof text - 1);
  if (file >= 0) close(file);
  text[size > 0 ? size : 0] = 0;
  const char *name_end = strrchr(text, ')');
  return name_end && name_end[1] == ' ' && (name_end[2] == 'T' || name_end[2] == 't');
}

// A copy of this process, which has one thread. Its number, 0 in the copy, or -1 with errno.
static inline pid_t linux_fork(void) { return fork(); }

// For a process that is about to stop as its child has: it is continued as soon as the child goes on or ends, until the
// descriptor that this returns is closed. -1 if that cannot be had. No event says that another process goes on: the
// watching process looks ten times a second.
static inline int linux_continue_with(int child) {
  int ends[2];
  if (!linux_is_stopped(child) || linux_pipe(ends) != 0) return -1;
  pid_t watcher = fork();
  if (watcher == 0) {
    pid_t parent = getppid();
    close(ends[1]);
    struct pollfd end = {ends[0], 0, 0};
    while (poll(&end, 1, 100) == 0)
      if (!linux_is_stopped(child) && linux_is_stopped(parent)) kill(parent, SIGCONT);
    _exit(0);
  }
  close(ends[0]);
  if (watcher > 0) return ends[1];
  close(ends[1]);
  return -1;
}

// For a command that maps files which others may write to. Async-signal-safe.
static inline void linux_file_signal(int number, siginfo_t *info, void *context) {
  (void)context;
  if (number == SIGXFSZ) return;
  if (info->si_code == BUS_ADRERR) {
    static const char line[] = "crashsym: a file was cut short while it was read\n";
    ssize_t written = write(STDERR_FILENO, line, sizeof line - 1);
    (void)written;
    _exit(74);
  }
  // No file's: it comes again, and then it ends the process.
  signal(number, SIG_DFL);
}

// From now on a mapped file that is cut short ends this process with a line and status 74, and a file that grows beyond
// only the result of the write reports the limit. What is started by exec has these signals as they were.
static inline void linux_take_file_signals(void) {
  const int numbers[] = {SIGBUS, SIGXFSZ};
  for (int index = 0; index < 2; index++) {
    struct sigaction action, previous;
    action.sa_sigaction = linux_file_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigemptyset(&action.sa_mask);
    if (sigaction(numbers[index], 0, &previous) == 0 && previous.sa_handler != SIG_IGN)
      sigaction(numbers[index], &action, 0);
  }
}

// Whether the limit of address space (RLIMIT_AS) leaves room for so many bytes more.
static inline int linux_has_room_for(unsigned long size) {
  void *room = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (room == MAP_FAILED) return 0;
  munmap(room, size);
  return 1;
}

// The C library asks the kernel for memory in large pieces from now on, and gives none back in small ones: by default
// each thread but the first does so page by page. A piece counts as used once it is written to.
static inline void linux_take_memory_in_pieces(void) {
  mallopt(M_TOP_PAD, 16 << 20);
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
  // To set either fixes this one where it begins, at 128 KiB.
  mallopt(M_MMAP_THRESHOLD, 4 << 20);
}

#endif
