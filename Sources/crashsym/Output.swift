import CrashReportReading
import Glibc

/// What the command writes.
enum Output {
  /// Writes text whole.
  ///
  /// - Throws: `ReadingError` of kind `inputOutput` where it cannot be written.
  static func write(_ text: String, to descriptor: Int32) throws(ReadingError) {
    var failure: Int32 = 0
    var text = text
    text.withUTF8 { bytes in
      var written = 0
      while written < bytes.count {
        let count = Glibc.write(descriptor, bytes.baseAddress! + written, bytes.count - written)
        if count >= 0 {
          written += count
        } else if errno != EINTR {
          failure = errno
          return
        }
      }
    }
    if failure != 0 {
      throw ReadingError(.inputOutput, "cannot write: \(strerror(failure).map { String(cString: $0) } ?? "error")")
    }
  }

  /// Writes the one line on stderr that an error gets.
  static func complain(_ what: String, _ location: String) {
    note("\(what): \(harmlessName(location))")
  }

  /// Writes a line on stderr; that it may fail cannot be told anyone.
  static func note(_ text: String) {
    try? write("crashsym: \(text)\n", to: STDERR_FILENO)
  }

  /// A file's name as it can be shown on one line of a terminal.
  static func harmlessName(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
  }
}

extension ReadingError {
  /// The exit status, as sysexits(3) has it.
  var status: Int32 {
    switch kind {
    case .notAReport: 65
    case .noInput: 66
    case .inputOutput: 74
    }
  }
}
