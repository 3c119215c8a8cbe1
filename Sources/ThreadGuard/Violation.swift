extension ThreadGuard {
  /// A broken rule.
  public struct Violation: Sendable, Hashable, CustomStringConvertible {
    /// The kind of the broken rule. The raw value of each case is the text of `kind` in reports.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
      /// Threads took the same locks in different orders, so they can deadlock.
      case lockOrderInversion
      /// Threads wait for each other now.
      case deadlock
      /// A lock was used in a wrong way.
      case lockMisuse
      /// Code ran on the wrong queue or thread.
      case mainQueueViolation
      /// A value was accessed by two threads at once, or without its lock.
      case dataRace
      /// A NaN was made or used.
      case nan
      /// Something took too long.
      case hang
    }

    /// The severity.
    public enum Severity: String, Sendable, Hashable, CaseIterable {
      /// Good to know, but no error in the current program.
      case note
      /// The code may go wrong.
      case warning
      /// The code is wrong.
      case error
    }

    /// A thread of the violation.
    public struct Thread: Sendable, Hashable {
      /// The kernel's thread id; 0 if it is not known.
      public var id: Int32
      /// The kernel's name of the thread: at most 15 bytes.
      public var name: String

      /// Makes a thread from its number and name.
      public init(id: Int32, name: String) {
        self.id = id
        self.name = name
      }
    }

    /// A lock or a queue of the violation.
    public struct Lock: Sendable, Hashable {
      /// The kind of lock.
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

      /// Its address.
      public var address: UInt
      /// The kind of lock.
      public var kind: Kind
      /// The name that the program gave to the lock, or the queue's label.
      public var name: String?
      /// The stack at which the lock was made or first seen: return addresses, innermost first.
      public var origin: [UInt]

      /// Makes a lock from the known facts.
      public init(address: UInt, kind: Kind, name: String? = nil, origin: [UInt] = []) {
        self.address = address
        self.kind = kind
        self.name = name
        self.origin = origin
      }
    }

    /// Two locks, one of which a thread took while it held the other. In a deadlock, the thread that holds the lock
    /// `from` waits for the lock `to`.
    public struct Edge: Sendable, Hashable {
      /// Indexes into ``Violation/locks``: the lock that was held, and the lock that was taken.
      public var from: Int, to: Int
      /// Whether the thread took the lock `from` only for reading, and whether it took the lock `to` only for reading
      /// or waits to do so.
      public var fromIsShared: Bool, toIsShared: Bool
      /// The thread that took the second lock, or waits for it.
      public var thread: Thread
      /// The stack with which the thread took the first lock, and the stack with which it took the second lock or waits
      /// for it. Both are return addresses, innermost first.
      public var fromStack: [UInt], toStack: [UInt]
      /// The other locks that the thread held, as indexes into ``Violation/locks``.
      public var held: [Int]

      /// Makes an edge between two locks of a violation, by their positions in ``Violation/locks``.
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

    /// A further stack of the violation.
    public struct LabelledStack: Sendable, Hashable {
      /// The readable label of the stack: "unlocked here", "enqueued from".
      public var label: String
      /// The thread of the stack.
      public var thread: Thread
      /// Return addresses, innermost first. A return address points after its call, so look up the byte before it.
      public var addresses: [UInt]
      /// Whether the first address is not a return address, but the address of an instruction, for example of the
      /// instruction that made a NaN.
      public var startsAtInstruction: Bool

      /// Makes a stack with a label.
      public init(label: String, thread: Thread, addresses: [UInt], startsAtInstruction: Bool = false) {
        self.label = label
        self.thread = thread
        self.addresses = addresses
        self.startsAtInstruction = startsAtInstruction
      }
    }

    /// The kind of rule.
    public let kind: Kind
    /// The severity.
    public let severity: Severity
    /// A short stable name of the rule within its kind, such as `cycle` or `double-unlock`.
    public let code: String
    /// What happened, in one sentence.
    public let message: String
    /// The locks of the violation.
    public let locks: [Lock]
    /// The edges of the lock order: each says that one lock was taken while another lock was held.
    public let edges: [Edge]
    /// Stacks that belong to no edge. The first is the stack at the moment of the violation.
    public let stacks: [LabelledStack]
    /// What the rule expects, such as a queue's label; `nil` if the rule expects nothing in particular.
    public let expected: String?
    /// What ThreadGuard found instead; `nil` if the rule expects nothing in particular.
    public let actual: String?
    /// The kernel's name of the thread that broke the rule.
    public let thread: String
    /// The Swift function that states the rule, for example by a call of `assertOn`; empty if no Swift code states the
    /// rule.
    public let function: String
    /// The file of the code that states the rule, in the form of `#fileID`; empty if no Swift code states the rule.
    public let file: String
    /// The line of the code that states the rule, from 1; 0 if no Swift code states the rule.
    public let line: Int
    /// The account for which the thread worked; 0 for none.
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
  /// The label of the required queue; empty if the rule is not about a queue.
  public var expectedQueue: String { expected ?? "" }
  /// The label of the queue that the thread ran; empty if the thread ran no queue, as a thread that the program made.
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
