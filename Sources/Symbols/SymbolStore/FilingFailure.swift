import Glibc
import LinuxCalls

/// Why a file was not stored, or was not changed.
public struct FilingFailure: Error, Sendable, Hashable {
  /// The kind of failure.
  public enum Kind: Sendable, Hashable {
    /// There is no such file, or it is not a regular file.
    case noInput
    /// The file cannot be stored or stripped.
    case notUsable
    /// Reading or writing failed.
    case inputOutput
  }

  /// The kind of failure.
  public var kind: Kind
  /// The error, in words and on one line.
  public var what: String
  /// The file with the error.
  public var path: String

  /// Makes a failure.
  public init(kind: Kind, what: String, path: String) {
    self.kind = kind
    self.what = what
    self.path = path
  }

  static func unusable(_ what: String, _ path: String) -> Self { Self(kind: .notUsable, what: what, path: path) }

  /// By `errno`, which is read first.
  static func system(_ what: String, _ path: String, code: Int32 = errno) -> Self {
    let isMissing = code == ENOENT || code == ENOTDIR
    return Self(
      kind: isMissing ? .noInput : .inputOutput, what: isMissing ? "no such file" : "\(what): \(errorText(code))",
      path: path)
  }
}
