extension ThreadGuard {
  /// A rule that was broken.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// Which rule it was, spelled as the `kind` of a report.
    public enum Kind: String, Sendable, Hashable {
      /// Code ran on another queue than the one it must run on.
      case mainQueueViolation
    }

    /// Which rule it was.
    public let kind: Kind
    /// The label of the queue that the code must run on.
    public let expectedQueue: String
    /// The label of the queue that it ran on; empty where libdispatch knows of none, as on a thread of the program's own.
    public let actualQueue: String
    /// The name of the thread that it ran on, as the kernel has it.
    public let thread: String
    /// The function that states the rule.
    public let function: String
    /// The file that states the rule, as `#fileID` has it.
    public let file: String
    /// The line that states the rule, from 1.
    public let line: Int

    public var description: String {
      let actual = actualQueue.isEmpty ? "no queue" : "queue \"\(actualQueue)\""
      return "\(file):\(line): \(function) must run on queue \"\(expectedQueue)\", but ran on \(actual), "
        + "thread \"\(thread)\""
    }
  }
}
