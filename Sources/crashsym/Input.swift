import CrashReportReading
import Glibc

/// What is read as it comes.
enum Input {
  /// What is there, after waiting for some; empty at the end.
  ///
  /// - Throws: `ReadingError` where it cannot be read.
  static func read(_ descriptor: Int32, atMost size: Int) throws(ReadingError) -> [UInt8] {
    while true {
      var failure: Int32 = 0
      let chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        let got = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        failure = got < 0 ? errno : 0
        count = max(got, 0)
      }
      switch failure {
      case 0: return chunk
      case EINTR: continue
      case EAGAIN:
        // Standard input may have been left non-blocking by another program.
        var poller = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        _ = poll(&poller, 1, -1)
      default:
        throw ReadingError(
          .inputOutput, "cannot be read: \(strerror(failure).map { String(cString: $0) } ?? "error \(failure)")")
      }
    }
  }
}
