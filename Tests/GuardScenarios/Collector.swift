import Dispatch
import Synchronization
import ThreadGuard

/// What was found while one scenario ran.
final class Collector: Sendable {
  private let found = Mutex<[ThreadGuard.Violation]>([])

  func listen() { ThreadGuard.onViolation { violation in self.found.withLock { $0.append(violation) } } }

  func take() -> [ThreadGuard.Violation] {
    found.withLock { found in
      defer { found = [] }
      return found
    }
  }
}

func run(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) async {
  await withCheckedContinuation { done in
    queue.async {
      body()
      done.resume()
    }
  }
}
