import Glibc

/// Fills the standard descriptors that are closed. Otherwise a file that this process opens gets such a number, and messages
/// for people go into it. Reads and writes still fail, and programs that this process starts find them closed.
public func fillStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest that is free is this one.
    _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
  }
}
