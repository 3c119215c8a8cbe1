import Glibc

/// Opens placeholders for closed standard descriptors. Without a placeholder, the next file that this process opens
/// would get the number of a standard descriptor. Messages for people would then go into that file. Reads and writes of
/// the placeholders still fail, and programs that this process starts find the descriptors closed.
public func fillStandardDescriptors() {
  for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
    // The lowest that is free is this one.
    _ = open("/dev/null", (descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC)
  }
}
