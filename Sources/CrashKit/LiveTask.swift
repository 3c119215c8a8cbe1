extension CrashKit {
  /// A live Swift task of this process, running or not.
  public struct LiveTask: Sendable, Equatable, Identifiable {
    /// The state of a task.
    public enum State: Sendable, Hashable {
      /// A thread runs it.
      case running
      /// It waits for a thread, or for its turn on an actor.
      case enqueued
      /// It waits for something other than a thread or its turn on an actor.
      case suspended
    }

    /// What a task waits for.
    public enum Awaited: Sendable, Hashable {
      /// Another task. The value is the id of that task; `nil` if it cannot be read.
      case task(UInt64?)
      /// One of its own `async let`s. The value is the id of that task; `nil` if it cannot be read.
      case asyncLet(UInt64?)
      /// The tasks of a task group.
      case group
      /// A continuation, checked or not. A wait for a sleep or for a stream's next element is shown as a wait for a
      /// continuation.
      case continuation
      /// The actor at this address.
      case actor(UInt)
      /// Something that the runtime does not report.
      case unknown
    }

    /// The number that the Swift runtime gave the task, from 1. Numbers grow with time: older tasks have lower numbers.
    public let id: UInt64
    /// The name that the program gave the task; at most 128 bytes.
    public let name: String?
    /// The id of the parent task, if this is a child task of a task group or an `async let`.
    public let parent: UInt64?
    /// Its state.
    public let state: State
    /// The task's priority. The runtime raises it if work of a higher priority waits for the task.
    public let priority: TaskPriority
    /// Whether the task was cancelled.
    public let isCancelled: Bool
    /// What the task waits for; `nil` while a thread runs the task, or if the task only waits for a thread.
    public let awaits: Awaited?
    /// How much time has passed since a look first found the task with these `resumeAddresses`; `nil` if the previous
    /// look did not find the task with them. A look is a call of ``CrashKit/tasks()``, a capture or a hang report.
    public let unmovedFor: Duration?
    /// The address at which the task continues, then the addresses of its callers, outwards; at most 128 in all. Empty
    /// while a thread runs the task.
    public let resumeAddresses: [UInt]
  }
}
