#if Desk
  import Foundation

  /// Work that waits for files, symbols or the database: a few at a time, on threads that may wait.
  final class WorkQueue: Sendable {
    private static let mostWaiting = 256
    private let queue: OperationQueue

    init(width: Int) {
      queue = OperationQueue()
      queue.maxConcurrentOperationCount = width
    }

    /// Runs the work.
    ///
    /// - Throws: The error of the work, or ``Refusal`` if too much work waits.
    func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
      guard queue.operationCount < Self.mostWaiting else { throw Refusal(.busy, "too many requests at a time") }
      return try await withCheckedThrowingContinuation { continuation in
        queue.addOperation { continuation.resume(with: Result { try work() }) }
      }
    }
  }
#endif
