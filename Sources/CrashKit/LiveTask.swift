extension CrashKit {
  /// A Swift task of this process that lives, whether a thread runs it or not.
  public struct LiveTask: Sendable, Equatable, Identifiable {
    /// What a task does.
    public enum State: Sendable, Hashable {
      /// A thread runs it.
      case running
      /// It waits for a thread, or for its turn on an actor.
      case enqueued
      /// It waits for something else.
      case suspended
    }

    /// What a task waits for.
    public enum Awaited: Sendable, Hashable {
      /// Another task, by its id; `nil` if the id cannot be read.
      case task(UInt64?)
      /// An `async let` of its own, by the id of that task; `nil` if the id cannot be read.
      case asyncLet(UInt64?)
      /// The tasks of a task group.
      case group
      /// A continuation, checked or not. A sleep and a stream's next element are continuations too.
      case continuation
      /// The actor at this address.
      case actor(UInt)
      /// Something that the runtime does not say.
      case unknown
    }

    /// The number that the runtime gave it, from 1. Numbers grow with time: the lower, the older.
    public let id: UInt64
    /// The name that the program gave it; at most 128 bytes.
    public let name: String?
    /// The id of the task that this child task belongs to: of a task group or an `async let`.
    public let parent: UInt64?
    /// What it does.
    public let state: State
    /// Its priority, raised if something of a higher one waits for it.
    public let priority: TaskPriority
    /// Whether it was cancelled.
    public let isCancelled: Bool
    /// What it waits for; `nil` while a thread runs it, and while it waits for nothing but a thread.
    public let awaits: Awaited?
    /// How long ago an earlier look found it first with these `resumeAddresses`; `nil` if the last look did not. Looks are
    /// calls of ``CrashKit/tasks()`` and reports of captures and hangs.
    public let unmovedFor: Duration?
    /// Where in the code it goes on, then where its callers do, outwards; at most 128. Empty while a thread runs it.
    public let resumeAddresses: [UInt]
  }
}
