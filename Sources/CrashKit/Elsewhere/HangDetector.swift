import Dispatch

extension CrashKit {
  /// A hang detector. On this system no function returns one.
  public final class HangDetector: Sendable {
    private init() {}

    /// Returns `nil`.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), queue: DispatchQueue = .main
    ) -> HangDetector? { nil }

    /// Returns `nil`.
    @discardableResult
    public static func start(threshold: Duration = .milliseconds(250), actor: any Actor) -> HangDetector? { nil }

    /// Returns `nil`.
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), executor: any SerialExecutor
    ) -> HangDetector? { nil }

    /// Returns `nil`.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @discardableResult
    public static func start(
      threshold: Duration = .milliseconds(250), taskExecutor: any TaskExecutor
    ) -> HangDetector? { nil }

    /// Returns `nil`.
    @discardableResult
    public static func start(
      threshold: Duration = .seconds(1), poolsOf priorities: [TaskPriority]
    ) -> HangDetector? { nil }

    /// Returns `nil`.
    @discardableResult
    public static func watchTasks(
      notMovedFor limit: Duration, where isWatched: @escaping @Sendable (LiveTask) -> Bool = { _ in true }
    ) -> HangDetector? { nil }

    /// Does nothing.
    public func stop() {}
  }
}
