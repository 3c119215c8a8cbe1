import Dispatch
import Foundation
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

/// One line on standard output, at once: some scenarios end by a signal.
func say(_ text: String) {
  var line = text + "\n"
  line.withUTF8 { _ = write(1, $0.baseAddress, $0.count) }
}
