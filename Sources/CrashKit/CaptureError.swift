extension CrashKit {
  /// Why `capture` left no report.
  public struct CaptureError: Error, Sendable, Hashable {
    /// What stood in the way.
    public enum Reason: Sendable, Hashable {
      /// `install` was not called, or CrashKit is switched off, as it always is if `isSupported` is false.
      case notInstalled
      /// Another thread has crashed, and its report goes first.
      case crashing
      /// The system refused memory or the file; with the `errno`.
      case system(Int32)
    }

    /// What stood in the way.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
  }
}
