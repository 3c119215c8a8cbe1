import CrashReportModel
import Glibc
import LinuxCalls

/// Why a stress run did not begin or could not continue: one line, and the exit status.
public struct StressFailure: Error, Sendable, Hashable {
  /// What is wrong, in words.
  public let what: String
  /// The exit status: one of the numbers of sysexits(3).
  public let status: Int32

  public init(what: String, status: Int32) {
    self.what = what
    self.status = status
  }

  /// The error on one line, without characters that control a terminal.
  public var line: String { what.harmless }

  /// What was asked for makes no sense: `EX_USAGE`.
  static func usage(_ what: String) -> Self { Self(what: what, status: 64) }
  /// Something that it needs is missing: `EX_UNAVAILABLE`.
  static func unavailable(_ what: String) -> Self { Self(what: what, status: 69) }
  /// A file or folder cannot be written: `EX_IOERR`.
  static func inputOutput(_ what: String, _ code: Int32) -> Self {
    Self(what: "\(what): \(errorText(code))", status: 74)
  }
}
