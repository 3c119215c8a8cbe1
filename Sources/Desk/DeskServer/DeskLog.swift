#if Desk
  import CrashReportModel
  import Glibc

  /// Writes lines on standard error for the people who run the desk.
  enum DeskLog {
    static func complain(_ text: String) {
      let line = Array("crashsym: desk: \(text.harmlessName)\n".utf8)
      _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }
#endif
