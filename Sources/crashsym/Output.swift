import ArgumentParser
import CGround
import CrashReportModel
import CrashReportReading
import Glibc
import LinuxCalls
import Synchronization

/// Writes the output of a command.
enum Output {
  /// How long standard error may still be waited for; nil if that has no bound.
  private static let waitLeft = Mutex<Duration?>(nil)
  private static let longestWait = Duration.milliseconds(1_500)

  /// From now on writing to standard error waits at most 1.5 seconds in all for a reader. The rest is dropped: a program's
  /// status must not depend on a full pipe.
  static func boundsStandardError() { waitLeft.withLock { $0 = longestWait } }

  /// Writes text whole.
  ///
  /// - Throws: `ReadingError` of kind `inputOutput` if it cannot be written.
  static func write(_ text: String, to descriptor: Int32) throws(ReadingError) {
    try write(Array(text.utf8), to: descriptor)
  }

  /// Writes bytes whole.
  ///
  /// - Throws: `ReadingError` of kind `inputOutput` if they cannot be written.
  static func write(_ bytes: [UInt8], to descriptor: Int32) throws(ReadingError) {
    if descriptor == STDERR_FILENO, let failure = writeBounded(bytes) {
      guard failure != 0 else { return }
      throw cannotWrite(failure)
    }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress! + written, $0.count - written) }
      if count < 0, errno == EAGAIN {
        // It may have been left non-blocking by another program.
        var poller = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&poller, 1, -1)
      } else if count < 0, errno != EINTR {
        throw cannotWrite(errno)
      }
      written += max(count, 0)
    }
  }

  /// Writes text whole on standard output. If it cannot be written, one line says so.
  ///
  /// - Throws: `ExitCode`.
  static func show(_ text: String) throws { try show(Array(text.utf8)) }

  /// Writes bytes whole on standard output. If they cannot be written, one line says so.
  ///
  /// - Throws: `ExitCode`.
  static func show(_ bytes: [UInt8]) throws {
    do throws(ReadingError) {
      try write(bytes, to: STDOUT_FILENO)
    } catch {
      complain(error.what, "standard output")
      throw ExitCode(error.status)
    }
  }

  private static func cannotWrite(_ code: Int32) -> ReadingError {
    ReadingError(.inputOutput, "cannot write: \(errorText(code))")
  }

  /// The errno, or 0; nil if standard error has no bound.
  private static func writeBounded(_ bytes: [UInt8]) -> Int32? {
    waitLeft.withLock { left in
      guard let wait = left else { return nil }
      let start = ContinuousClock.now
      let nanoseconds = UInt64(max(wait, .zero) / .nanoseconds(1))
      let failure = bytes.withUnsafeBytes { bytes in
        cgr_write_bounded(
          STDERR_FILENO, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count, nanoseconds)
      }
      // What a reader takes in time costs nothing of the bound.
      if failure == EAGAIN { left = wait - (ContinuousClock.now - start) }
      return failure
    }
  }

  /// Writes the one line on stderr that an error gets.
  static func complain(_ what: String, _ location: String) {
    note("\(what): \(location)")
  }

  /// Writes a line on stderr; a failure cannot be reported.
  static func note(_ text: String) {
    DownloadDisplay.clear()
    try? write("crashsym: \(text.harmlessName)\n", to: STDERR_FILENO)
  }
}
