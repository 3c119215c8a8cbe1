import CrashReportModel
import Glibc
import LinuxCalls

/// Why a stress run did not begin or could not go on: one line, and the exit status that says so.
public struct StressFailure: Error, Sendable, Hashable {
  /// What is wrong, in words.
  public let what: String
  /// As sysexits(3) has it.
  public let status: Int32

  public init(what: String, status: Int32) {
    self.what = what
    self.status = status
  }

  /// What is wrong on one line, which cannot drive a terminal whatever names are in it.
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
