import LinuxCalls

/// An error that prevents sending and does not come from a server.
public struct SendFailure: Error, Sendable, Hashable {
  /// The error, in words and on one line, with the file or folder.
  public var what: String
  /// The exit status for this error.
  public var status: Int32

  public init(what: String, status: Int32) {
    self.what = what
    self.status = status
  }

  /// There is no such folder: `EX_NOINPUT`.
  static func missing(_ what: String, _ path: String, _ code: Int32) -> Self {
    Self(what: "\(what): \(errorText(code)): \(path)", status: 66)
  }

  /// Reading or writing failed: `EX_IOERR`.
  static func system(_ what: String, _ path: String, _ code: Int32) -> Self {
    Self(what: "\(what): \(errorText(code)): \(path)", status: 74)
  }
}
