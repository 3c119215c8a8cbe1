extension CrashKit {
  /// Why `capture` wrote no report.
  public struct CaptureError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What stood in the way.
    public enum Reason: Sendable, Hashable {
      /// `install` was not called, or CrashKit is switched off, as it always is on this system.
      case notInstalled
      /// Another thread has crashed, and its report goes first.
      case crashing
      /// The system refused; with the `errno`.
      case system(Int32)
    }

    /// What stood in the way.
    public let reason: Reason

    public var description: String { "CrashKit does not work on this system" }
  }

  /// Writes no report.
  ///
  /// - Throws: `CaptureError` with the reason `notInstalled`, always.
  @discardableResult
  public static func capture(_ message: String) throws(CaptureError) -> String? {
    throw CaptureError(reason: .notInstalled)
  }

  /// Writes no report.
  ///
  /// - Throws: `CaptureError` with the reason `notInstalled`, always.
  @discardableResult
  public static func capture(error: any Error) throws(CaptureError) -> String? {
    throw CaptureError(reason: .notInstalled)
  }
}
