import CrashReportModel
import CrashReportReading
import Glibc

/// What the command writes.
enum Output {
  /// Writes text whole.
  ///
  /// - Throws: `ReadingError` of kind `inputOutput` where it cannot be written.
  static func write(_ text: String, to descriptor: Int32) throws(ReadingError) {
    try write(Array(text.utf8), to: descriptor)
  }

  /// Writes bytes whole.
  ///
  /// - Throws: `ReadingError` of kind `inputOutput` where they cannot be written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(ReadingError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno == EAGAIN {
        // It may have been left non-blocking by another program.
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&poller, 1, -1)
      } else if count < 0, errno != EINTR {
        let failure = errno
        throw ReadingError(.inputOutput, "cannot write: \(strerror(failure).map { String(cString: $0) } ?? "error")")
      }
      written += max(count, 0)
    }
  }

  /// Writes the one line on stderr that an error gets.
  static func complain(_ what: String, _ location: String) {
    note("\(what): \(location)")
  }

  /// Writes a line on stderr; that it may fail cannot be told anyone.
  static func note(_ text: String) {
    DownloadDisplay.clear()
    try? write("crashsym: \(text.harmlessName)\n", to: STDERR_FILENO)
  }
}
