import Synchronization

/// The progress of symbolication. You may read it from any thread at any time.
public final class SymbolicationProgress: Sendable {
  private let state = Mutex((done: 0, total: 0))

  /// Starts with no images.
  public init() {}

  /// The number of finished images, and of all images with frames.
  public var images: (done: Int, total: Int) { state.withLock { $0 } }

  func begin(total: Int) { state.withLock { $0 = (0, total) } }

  func finishOne() { state.withLock { $0.done += 1 } }
}
