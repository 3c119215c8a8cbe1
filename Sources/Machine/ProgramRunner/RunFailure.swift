import Glibc
import LinuxCalls

/// Why a program was not started.
public struct RunFailure: Error, Sendable, Hashable {
  /// The error, in words and on one line.
  public var what: String
  /// The subject of the error, usually a path.
  public var subject: String
  /// The exit status for this error.
  public var status: Int32

  /// The program cannot have a library preloaded, or what was asked for makes no sense: `EX_USAGE`.
  static func refused(_ what: String, _ subject: String) -> Self { Self(what: what, subject: subject, status: 64) }
  /// Something of our own is missing: `EX_NOINPUT`.
  static func missing(_ what: String, _ subject: String) -> Self { Self(what: what, subject: subject, status: 66) }
  /// A system call failed: `EX_OSERR`.
  static func system(_ what: String, _ subject: String, _ code: Int32) -> Self {
    Self(what: "\(what): \(errorText(code))", subject: subject, status: 71)
  }
  /// The folder for reports cannot be made or read: `EX_IOERR`.
  static func folder(_ code: Int32, _ subject: String) -> Self {
    let reason = code == ELOOP ? "a symbolic link, which is not followed" : errorText(code)
    return Self(what: "cannot keep reports: \(reason)", subject: subject, status: 74)
  }
  /// Makes the error for a JUnit file that is a symbolic link. Its status is `EX_IOERR`.
  public static func linkedJUnitFile(_ subject: String) -> Self {
    Self(what: "cannot write the JUnit file: a symbolic link, which is not followed", subject: subject, status: 74)
  }
  /// A report that came is not shown: `EX_IOERR`.
  static func unreadable(_ reason: String, _ subject: String) -> Self {
    Self(what: "the report is not shown: it \(reason)", subject: subject, status: 74)
  }
  /// There is no such program; shells use the same status.
  static func notFound(_ subject: String) -> Self { Self(what: "no such program", subject: subject, status: 127) }
  /// The file cannot be executed; shells use the same status.
  static func notExecutable(_ subject: String, _ code: Int32) -> Self {
    Self(what: "cannot be executed: \(errorText(code))", subject: subject, status: 126)
  }
}
