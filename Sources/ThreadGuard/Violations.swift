import CThreadGuard
import Glibc
import Synchronization

extension ThreadGuard {
  /// Hands every violation to `handler`, in place of the line on stderr that is the default; `nil` brings that back.
  /// The handler runs on the thread that broke the rule, and may be called on several threads at once.
  public static func onViolation(_ handler: (@Sendable (Violation) -> Void)?) {
    violationHandler.withLock { $0 = handler }
  }

  private static let violationHandler = Mutex<(@Sendable (Violation) -> Void)?>(nil)

  static func report(_ violation: Violation) {
    // Called without the lock held: the handler may itself set another one, or break a rule.
    if let handler = violationHandler.withLock({ $0 }) {
      handler(violation)
    } else {
      var line = "ThreadGuard: \(violation)\n"
      _ = line.withUTF8 { write(STDERR_FILENO, $0.baseAddress, $0.count) }
    }
  }

  static var currentThreadName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
      name.initialize(repeating: 0)
      ctg_current_thread_name(name.baseAddress!)
      return String(cString: name.baseAddress!)
    }
  }
}
