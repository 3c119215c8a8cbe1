import CDiagdemoCrashes

extension CrashKind {
  /// Stacks that end, or that hold nonsense.
  static let stack = [
    CrashKind("stack-overflow", "call oneself without end, in C") { crash_stack_overflow() },
    CrashKind("recursion", "call oneself without end, in Swift") { SwiftCrashes.recurse(1) },
  ]
}
