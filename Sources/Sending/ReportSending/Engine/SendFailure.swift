import LinuxCalls

/// What keeps reports from being sent that is no server's doing.
public struct SendFailure: Error, Sendable, Hashable {
  /// What is wrong, in words and on one line, with the file or folder.
  public var what: String
  /// The exit status that says so.
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
