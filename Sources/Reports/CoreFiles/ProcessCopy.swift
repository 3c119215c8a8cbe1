/// What was copied of a running process while its threads stood still: reports are made of it as of a core file.
public struct ProcessCopy {
  /// A thread that stood still.
  public struct Thread {
    /// The kernel's number of it.
    public var id: Int
    /// Its name, if it could be read.
    public var name: String?
    /// Whether a signal had stopped it before (SIGSTOP, SIGTSTP).
    public var isStopped: Bool
    /// As the kernel has them in core files: `elf_gregset_t`.
    public var registers: [UInt64]

    /// A thread by its parts.
    public init(id: Int, name: String?, isStopped: Bool, registers: [UInt64]) {
      (self.id, self.name, self.isStopped, self.registers) = (id, name, isStopped, registers)
    }
  }

  /// A line of `/proc/PID/maps`.
  public struct Mapping {
    /// Where it begins.
    public var start: UInt64
    /// Exclusive.
    public var end: UInt64
    /// Where it begins in its file, in bytes.
    public var fileOffset: UInt64
    /// Whether the process may write to it.
    public var isWritable: Bool
    /// Whether the process may run code in it.
    public var isExecutable: Bool
    /// Its file, if it has one, as a path here.
    public var path: String?

    /// A mapping by its parts.
    public init(
      start: UInt64, end: UInt64, fileOffset: UInt64, isWritable: Bool, isExecutable: Bool, path: String?
    ) {
      (self.start, self.end, self.fileOffset) = (start, end, fileOffset)
      (self.isWritable, self.isExecutable, self.path) = (isWritable, isExecutable, path)
    }
  }

  /// The process's number.
  public var process: Int
  /// Its name, as the kernel keeps it: at most 15 bytes.
  public var name: String
  /// When it stood still, in microseconds since 1970.
  public var time: Int64
  /// For how many seconds.
  public var stopTime: Double
  /// The first one is the main thread, unless that has ended.
  public var threads: [Thread]
  /// Threads that did not stop, and why.
  public var unanswered: [(id: Int, reason: String)]
  /// All of it.
  public var mappings: [Mapping]
  /// The kernel's words for the program's start: `/proc/PID/auxv`.
  public var auxiliary: [UInt8]
  /// The bits of code addresses that a signature may stand in (pointer authentication of AArch64).
  public var codeMask: UInt64
  /// What was copied of its memory.
  public var memory: MemoryCopy
  /// Why not all memory was copied that was wanted; nil if it was.
  public var cut: String?

  /// A copy by its parts.
  public init(
    process: Int, name: String, time: Int64, stopTime: Double, threads: [Thread],
    unanswered: [(id: Int, reason: String)], mappings: [Mapping], auxiliary: [UInt8], codeMask: UInt64,
    memory: MemoryCopy, cut: String?
  ) {
    (self.process, self.name, self.time, self.stopTime) = (process, name, time, stopTime)
    (self.threads, self.unanswered, self.mappings) = (threads, unanswered, mappings)
    (self.auxiliary, self.codeMask, self.memory, self.cut) = (auxiliary, codeMask, memory, cut)
  }
}
