import Synchronization

/// How far symbolication has come; safe to read from any thread while it runs.
public final class SymbolicationProgress: Sendable {
  private let state = Mutex((done: 0, total: 0))

  /// Starts at nothing.
  public init() {}

  /// Images that are finished, and all images that frames lie in.
  public var images: (done: Int, total: Int) { state.withLock { $0 } }

  func begin(total: Int) { state.withLock { $0 = (0, total) } }

  func finishOne() { state.withLock { $0.done += 1 } }
}
