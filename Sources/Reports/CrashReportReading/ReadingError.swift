/// Why no report could be read from an input.
public struct ReadingError: Error, Sendable, Hashable {
  /// The kind of failure. Each kind has an exit status of sysexits(3).
  public enum Kind: Sendable, Hashable {
    /// The input was read and is not a report: `EX_DATAERR`, 65.
    case notAReport
    /// There is no such file, it cannot be opened, or it is not a file: `EX_NOINPUT`, 66.
    case noInput
    /// Reading failed: `EX_IOERR`, 74.
    case inputOutput
  }

  /// The kind of failure.
  public var kind: Kind
  /// The error, in words and on one line, without the file's name.
  public var what: String

  /// Makes an error.
  public init(_ kind: Kind, _ what: String) {
    self.kind = kind
    self.what = what
  }

  /// The exit status of a command, by sysexits(3).
  public var status: Int32 {
    switch kind {
    case .notAReport: 65
    case .noInput: 66
    case .inputOutput: 74
    }
  }
}
