#if THREADGUARD
  import CThreadGuard
  import Glibc
#endif

extension ThreadGuard {
  /// Interrupts the thread at the instruction that makes the first NaN. This instruction is an invalid operation on
  /// numbers, such as `0.0 / 0.0`.
  ///
  /// The trap is in the SSE unit, which all arithmetic of `Double` and `Float` uses; the trap does not see `Float80`.
  /// The trap also interrupts a comparison or a conversion with a NaN, if the processor treats this operation as
  /// invalid. ThreadGuard reports such an operation as a use of a NaN that was made earlier. ThreadGuard reports each
  /// place once. Inside a signal handler the trap is off.
  public enum NaNTrap {
    /// The processor has no such trap, as is the case for many ARM processors.
    public struct Unsupported: Error, CustomStringConvertible {
      /// The error in words.
      public let description = "this processor cannot trap invalid floating-point operations"
    }

    /// The threads for which the trap is set.
    public enum Scope: Sendable, Hashable {
      /// The calling thread, and threads that it creates.
      case thread
      /// The calling thread and later threads. If the program links CrashKit, all later threads get the trap. Otherwise
      /// a new thread gets the trap only if the thread that creates it has the trap. So set the trap before the program
      /// starts other threads.
      case process
    }

    /// The reaction to a NaN.
    public enum Reaction: Sendable, Hashable {
      /// ThreadGuard reports the NaN, and the program continues with it.
      case report
      /// ThreadGuard reports the NaN, and the process dies of SIGFPE at the instruction. If CrashKit is installed, it
      /// writes a crash report.
      case stop
    }

    /// Sets the trap. The reaction applies to the whole process. You may call it from any thread.
    ///
    /// - Throws: ``Unsupported``.
    @inlinable
    public static func enable(_ scope: Scope = .process, onNaN reaction: Reaction = .report) throws(Unsupported) {
      #if THREADGUARD
        try set(scope, reaction)
      #endif
    }

    /// Unsets the trap for the calling thread and, with `.process`, for threads that are created later. These are the
    /// threads for which ``enable(_:onNaN:)`` sets the trap.
    @inlinable
    public static func disable(_ scope: Scope = .process) {
      #if THREADGUARD
        unset(scope)
      #endif
    }

    /// Sets the trap on this thread while `body` runs.
    ///
    /// - Throws: ``Unsupported``, or the error that `body` throws.
    @inlinable
    public static func scoped<Result>(_ body: () throws -> Result) throws -> Result {
      #if THREADGUARD
        let wasSet = try begin()
        defer { end(wasSet) }
      #endif
      return try body()
    }

    /// Unsets the trap on this thread while `body` runs. Use it for code that makes NaNs on purpose.
    @inlinable
    public static func without<Result>(_ body: () throws -> Result) rethrows -> Result {
      #if THREADGUARD
        let wasSet = pause()
        defer { end(wasSet) }
      #endif
      return try body()
    }
  }
}

#if THREADGUARD
  extension ThreadGuard.NaNTrap {
    @usableFromInline
    static func set(_ scope: Scope, _ reaction: Reaction) throws(Unsupported) {
      try prepare()
      ctg_nan_set_fatal(reaction == .stop)
      if scope == .process { _ = ctg_nan_set_for_new_threads(true) }
      _ = ctg_nan_set(true)
    }

    @usableFromInline
    static func unset(_ scope: Scope) {
      if scope == .process { _ = ctg_nan_set_for_new_threads(false) }
      _ = ctg_nan_set(false)
    }

    @usableFromInline
    static func begin() throws(Unsupported) -> Bool {
      try prepare()
      return ctg_nan_set(true)
    }

    @usableFromInline
    static func pause() -> Bool { ctg_nan_set(false) }

    @usableFromInline
    static func end(_ wasSet: Bool) { _ = ctg_nan_set(wasSet) }

    private static func prepare() throws(Unsupported) {
      guard ctg_nan_prepare() == 0 else { throw Unsupported() }
      _ = teller
    }

    /// The thread that reports NaNs, because a signal handler must not.
    private static let teller: Void = {
      var attributes = pthread_attr_t()
      pthread_attr_init(&attributes)
      pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
      var thread = pthread_t()
      pthread_create(
        &thread, &attributes,
        { _ in
          ctg_begin_own_thread("ThreadGuard NaN")
          _ = ctg_nan_set(false)
          var nan = ctg_nan()
          while true {
            ctg_nan_wait(&nan)
            ctg_act_for(nan.account)
            ThreadGuard.report(ThreadGuard.Violation(nan))
            ctg_nan_is_told()
          }
        }, nil)
      pthread_attr_destroy(&attributes)
    }()
  }

  extension ThreadGuard.Violation {
    fileprivate init(_ nan: ctg_nan) {
      let name = withUnsafeBytes(of: nan.thread_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      let entries = withUnsafeBytes(of: nan.frames) { Array($0.bindMemory(to: UInt.self).prefix(nan.frame_count)) }
      let operation = Self.text(of: nan)
      let (rule, message): (ctg_rule, String) =
        switch nan.nature {
        case CTG_NAN_CONSUMED:
          (CTG_RULE_NAN_USED, "the program used a NaN that was made earlier: \(operation)")
        case CTG_NAN_TOO_MANY:
          (CTG_RULE_NAN_TRAP_OFF, "the NaN trap was triggered a million times and is off from now on")
        default:
          (CTG_RULE_NAN_BORN, "a NaN was made: \(operation)")
        }
      self.init(
        rule, message: message,
        stacks: [LabelledStack(label: "here", thread: .init(id: nan.thread, name: name), entries: entries)])
    }

    private static func text(of nan: ctg_nan) -> String {
      let operands = [nan.operands.0, nan.operands.1].prefix(Int(nan.operand_count)).map { "\($0)" }
      let (first, second) = (operands.first ?? "?", operands.dropFirst().first ?? "?")
      let letter = Character(Unicode.Scalar(UInt8(bitPattern: nan.operation)))
      switch letter {
      case "+", "-", "*", "/":
        return operands.isEmpty
          ? "one of several \(letter) operations that one instruction performs" : "\(first) \(letter) \(second)"
      case "r": return "the square root of \(first)"
      case "m": return "the minimum of \(first) and \(second)"
      case "M": return "the maximum of \(first) and \(second)"
      case "<": return "a comparison of \(first) with \(second)"
      case "i": return "a conversion of \(first)"
      case "f": return "a multiplication and addition"
      default: return "an operation of an unknown kind"
      }
    }
  }
#endif
