import Glibc
import LinuxCalls

/// Why a running program gave no report.
public struct CaptureFailure: Error, Sendable, Hashable {
  /// The error, in words and on one line.
  public var what: String
  /// The exit status for this error.
  public var status: Int32

  /// There is no such process: `EX_NOINPUT`.
  package static let missing = Self(what: "no such process", status: 66)
  /// This kind of process cannot be asked or looked at: `EX_DATAERR`.
  package static func refused(_ what: String) -> Self { Self(what: what, status: 65) }
  /// This user may not look at it: `EX_NOPERM`.
  package static func forbidden(_ what: String) -> Self { Self(what: what, status: 77) }
  /// There was no answer: `EX_IOERR`.
  package static func failed(_ what: String) -> Self { Self(what: what, status: 74) }
  package static func system(_ what: String, _ code: Int32) -> Self { failed("\(what): \(errorText(code))") }
}
