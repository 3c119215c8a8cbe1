extension CrashKit {
  /// Why `capture` failed to write a report.
  public struct CaptureError: Error, Sendable, Hashable {
    /// The reason of the failure.
    public enum Reason: Sendable, Hashable {
      /// `install` was not called, or CrashKit is turned off. If `isSupported` is false, CrashKit is always off.
      case notInstalled
      /// Another thread has crashed, and its report has priority.
      case crashing
      /// The system refused memory, or the report cannot be written. The value is the `errno`.
      case system(Int32)
    }

    /// The reason of the failure.
    public let reason: Reason

    init(_ reason: Reason) { self.reason = reason }
  }
}
