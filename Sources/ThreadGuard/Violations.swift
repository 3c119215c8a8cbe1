import CThreadGuard
import Glibc
import Synchronization

extension ThreadGuard {
  /// Whether ThreadGuard works on this system: Linux with glibc. On other systems its checks compile to nothing.
  public static let isSupported = true

  /// From now on, ThreadGuard passes every violation to `handler`, and prints no lines on stderr. If `handler` is
  /// `nil`, ThreadGuard prints these lines again.
  ///
  /// For a rule in Swift code, ThreadGuard calls the handler at once on the thread that broke the rule. For a violation
  /// inside a function of libc or libdispatch, ThreadGuard calls the handler soon after, on ThreadGuard's own thread,
  /// because the program's thread may hold locks. ``deliverViolations()`` delivers such violations at once. Several
  /// threads may run the handler at the same time. ThreadGuard calls the handler each time that a violation occurs,
  /// except for suppressed violations.
  public static func onViolation(_ handler: (@Sendable (Violation) -> Void)?) {
    listeners.withLock { $0.handler = handler }
    listen()
  }

  /// Sets a second observer of every violation, independent of ``onViolation(_:)``; `nil` removes it.
  package static func observeViolations(_ observer: (@Sendable (Violation) -> Void)?) {
    listeners.withLock { $0.observer = observer }
    listen()
  }

  private struct Listeners {
    var handler: (@Sendable (Violation) -> Void)?
    var observer: (@Sendable (Violation) -> Void)?
  }

  private static let listeners = Mutex(Listeners())

  private static func listen() {
    let wanted = listeners.withLock { $0.handler != nil || $0.observer != nil }
    ctg_listen(wanted)
    if wanted { Delivery.start }
  }

  // Called without the lock held: a handler may itself set another one, or break a rule.
  private static func handOver(_ violation: Violation) {
    let (handler, observer) = listeners.withLock { ($0.handler, $0.observer) }
    handler?(violation)
    observer?(violation)
  }

  /// Calls the handler of ``onViolation(_:)`` at once, on the calling thread, for each violation that is not yet
  /// delivered. Without this call, ThreadGuard's own thread delivers these violations soon after.
  public static func deliverViolations() {
    for violation in Kept.take().violations { handOver(violation) }
  }

  /// Returns the violations that ThreadGuard stored since the last call. While there is no handler, ThreadGuard stores
  /// the violations whose kind has the mode ``ViolationMode/collect``. ThreadGuard stores at most about 4 MiB of
  /// violations. `omitted` is the number of further violations, which are not stored.
  public static func takeViolations() -> (violations: [Violation], omitted: Int) { Kept.take() }

  /// Takes a violation of a rule that Swift code states, on the thread that broke it. Where it names no stack, the
  /// caller's is taken. Returns whether it was reported, and not suppressed.
  @discardableResult
  static func report(_ violation: Violation) -> Bool {
    var whole = violation.stacks.isEmpty ? violation.withOwnStack() : violation
    #if THREADGUARD
      whole.account = ctg_current_account()
    #endif
    guard whole.withCViolation(ctg_violation_report_own) != 0 else { return false }
    handOver(whole)
    return true
  }

  static var currentThreadName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { name in
      name.initialize(repeating: 0)
      ctg_current_thread_name(name.baseAddress!)
      return String(cString: name.baseAddress!)
    }
  }

  /// The thread that waits for violations inside interposed functions, and delivers them.
  private enum Delivery {
    static let start: Void = {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      var thread = pthread_t()
      pthread_create(
        &thread, &attributes,
        { _ in
          ctg_begin_own_thread("ThreadGuard")
          while true {
            ctg_wait_for_violation()
            ThreadGuard.deliverViolations()
          }
        }, nil)
      pthread_attr_destroy(&attributes)
    }()
  }
}

extension ThreadGuard.Violation {
  fileprivate func withOwnStack() -> Self {
    let addresses = [UInt](unsafeUninitializedCapacity: 64) { buffer, count in
      count = ctg_own_stack(buffer.baseAddress, buffer.count)
    }
    let here = Thread(id: ctg_current_thread_id(), name: thread)
    return Self(
      kind: kind, severity: severity, code: code, message: message, expected: expected, actual: actual, locks: locks,
      edges: edges, stacks: [LabelledStack(label: "here", thread: here, addresses: addresses)], thread: thread,
      function: function, file: file, line: line)
  }
}
