import Glibc
import LinuxCalls

/// Why a file was not filed, or was left as it was.
public struct FilingFailure: Error, Sendable, Hashable {
  /// The class of the failure.
  public enum Kind: Sendable, Hashable {
    /// There is no such file, or it is no regular file.
    case noInput
    /// The file is not one that can be filed, or not one that can be stripped.
    case notUsable
    /// Reading or writing failed.
    case inputOutput
  }

  /// The class of the failure.
  public var kind: Kind
  /// What is wrong, in words and on one line.
  public var what: String
  /// The file that it is about.
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
