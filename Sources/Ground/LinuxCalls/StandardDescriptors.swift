import Glibc

/// Opens placeholders for closed standard descriptors. Without a placeholder, the next file that this process opens
/// would get the number of a standard descriptor. Messages to standard output or standard error would then go into that
/// file. A read or write on a placeholder fails, as on a closed descriptor. In programs that this process starts, the
/// descriptors are closed.
public func fillStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest that is free is this one.
    _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
  }
}
