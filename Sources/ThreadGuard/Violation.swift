extension ThreadGuard {
  /// A rule that was broken.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// Which rule it was, spelled as the `kind` of a report.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Locks are taken in different orders, so that two threads may come to wait for each other.
      case lockOrderInversion
      /// Threads wait for each other, now.
      case deadlock
      /// A lock was used as none may be.
      case lockMisuse
      /// Code ran on another queue or thread than the one it must run on.
      case mainQueueViolation
      /// A value was accessed by two threads at once, or without its lock.
      case dataRace
      /// A number that is none came into being, or turned up.
      case nan
      /// Something took longer than it may.
      case hang
    }

    /// How bad it is.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
      /// Worth knowing: nothing goes wrong as the program is now.
      case note
      /// It may go wrong.
      case warning
      /// It is wrong.
      case error
    }

    /// A thread that had a part in it.
    public struct Thread: Sendable, Hashable {
      /// The kernel's thread id; 0 where it is not known.
      public var id: Int32
      /// The name, as the kernel has it: at most 15 bytes.
      public var name: String

      /// A thread by its number and name.
      public init(id: Int32, name: String) {
        self.id = id
        self.name = name
      }
    }

    /// A lock, or a queue, that has a part in it.
    public struct Lock: Sendable, Hashable {
      /// What kind of lock it is.
      public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A `pthread_mutex_t` that a thread can take once.
        case mutex
        /// A `pthread_mutex_t` that its thread can take again.
        case recursiveMutex
        /// A `pthread_rwlock_t`.
        case rwlock
        /// A `pthread_spinlock_t`.
        case spinlock
        /// A semaphore of libc or of libdispatch.
        case semaphore
        /// A dispatch group.
        case group
        /// A dispatch queue.
        case queue
        /// A ``GuardedLock``, ``GuardedRWLock`` or ``GuardedMutex``.
        case guardedLock
        /// A thread that another one joins.
        case thread
        /// A `Mutex` of Swift's Synchronization.
        case swiftMutex
      }

      /// Where it lies in memory.
      public var address: UInt
      /// What kind of lock it is.
      public var kind: Kind
      /// The program's name for it, or a queue's label.
      public var name: String?
      /// Where it was made or first seen: return addresses, innermost first.
      public var origin: [UInt]

      /// A lock, by what is known of it.
      public init(address: UInt, kind: Kind, name: String? = nil, origin: [UInt] = []) {
        self.address = address
        self.kind = kind
        self.name = name
        self.origin = origin
      }
    }

    /// A lock that was taken while another was held; in a deadlock, one that is waited for by the holder of another.
    public struct Edge: Sendable, Hashable {
      /// Indexes into ``Violation/locks``: the lock that was held, and the one that was taken.
      public var from: Int, to: Int
      /// Whether they were taken for reading only.
      public var fromIsShared: Bool, toIsShared: Bool
      /// The thread that did it.
      public var thread: Thread
      /// Where each of the two was taken, or is waited for: return addresses, innermost first.
      public var fromStack: [UInt], toStack: [UInt]
      /// What else the thread held, as indexes into ``Violation/locks``.
      public var held: [Int]

      /// An edge between two locks of a violation, by their positions in ``Violation/locks``.
      public init(
        from: Int, to: Int, fromIsShared: Bool = false, toIsShared: Bool = false, thread: Thread, fromStack: [UInt],
        toStack: [UInt], held: [Int] = []
      ) {
        self.from = from
        self.to = to
        self.fromIsShared = fromIsShared
        self.toIsShared = toIsShared
        self.thread = thread
        self.fromStack = fromStack
        self.toStack = toStack
        self.held = held
      }
    }

    /// A stack that says more about it.
    public struct LabelledStack: Sendable, Hashable {
      /// What the stack is, as a person reads it: "unlocked here", "enqueued from".
      public var label: String
      /// The thread whose stack it is.
      public var thread: Thread
      /// Return addresses, innermost first. A return address points after its call, so look up the byte before it.
      public var addresses: [UInt]
      /// Whether the first address is the instruction itself, as it is where a NaN was born.
      public var startsAtInstruction: Bool

      /// A stack with the words that stand above it.
      public init(label: String, thread: Thread, addresses: [UInt], startsAtInstruction: Bool = false) {
        self.label = label
        self.thread = thread
        self.addresses = addresses
        self.startsAtInstruction = startsAtInstruction
      }
    }

    /// Which rule it was.
    public let kind: Kind
    /// How bad it is.
    public let severity: Severity
    /// A short stable name of the rule within its kind, such as `cycle` or `double-unlock`.
    public let code: String
    /// What happened, in one sentence.
    public let message: String
    /// The locks that have a part in it.
    public let locks: [Lock]
    /// The orders in which locks were taken.
    public let edges: [Edge]
    /// Stacks that belong to no edge; the first is where the rule was broken.
    public let stacks: [LabelledStack]
    /// What the rule expects, such as a queue's label; `nil` where that says nothing.
    public let expected: String?
    /// What was found in its place; `nil` where that says nothing.
    public let actual: String?
    /// The name of the thread that broke the rule, as the kernel has it.
    public let thread: String
    /// The function that states the rule; empty where none does.
    public let function: String
    /// The file that states the rule, as `#fileID` has it; empty where none does.
    public let file: String
    /// The line that states the rule, from 1; 0 where none does.
    public let line: Int
    /// On whose account the thread was working; 0 for nobody's.
    package var account: UInt64 = 0

    init(
      kind: Kind, severity: Severity = .error, code: String, message: String, expected: String? = nil,
      actual: String? = nil, locks: [Lock] = [], edges: [Edge] = [], stacks: [LabelledStack] = [],
      thread: String? = nil, function: String = "", file: String = "", line: Int = 0
    ) {
      self.kind = kind
      self.severity = severity
      self.code = code
      self.message = message
      self.expected = expected
      self.actual = actual
      self.locks = locks
      self.edges = edges
      self.stacks = stacks
      self.thread = thread ?? stacks.first?.thread.name ?? edges.first?.thread.name ?? ThreadGuard.currentThreadName
      self.function = function
      self.file = file
      self.line = line
    }

    /// The violation in one line.
    public var description: String {
      let place = file.isEmpty ? "" : "\(file):\(line): "
      return place + message
    }
  }
}

extension ThreadGuard.Violation {
  /// The label of the queue that the code must run on; empty where the rule is about no queue.
  public var expectedQueue: String { expected ?? "" }
  /// The label of the queue that it ran on; empty where libdispatch knows of none, as on a thread of the program's own.
  public var actualQueue: String { actual ?? "" }

  /// Code ran on another queue than the one it must run on.
  init(
    kind: Kind, expectedQueue: String, actualQueue: String, thread: String, function: String, file: String, line: Int
  ) {
    let found = actualQueue.isEmpty ? "no queue" : "queue \"\(actualQueue)\""
    self.init(
      kind: kind, code: "wrong-queue",
      message: "\(function) must run on queue \"\(expectedQueue)\", but ran on \(found), thread \"\(thread)\"",
      expected: expectedQueue, actual: actualQueue, thread: thread, function: function, file: file, line: line)
  }
}
