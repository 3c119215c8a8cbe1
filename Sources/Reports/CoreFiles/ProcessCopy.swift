/// The copy of a running process, made while the process's threads were stopped. Reports are made from the copy as from
/// a core file.
public struct ProcessCopy {
  /// A stopped thread.
  public struct Thread {
    /// The kernel's id of the thread.
    public var id: Int
    /// Its name, if it could be read.
    public var name: String?
    /// Whether a signal (SIGSTOP, SIGTSTP) had stopped it before the copy was made.
    public var isStopped: Bool
    /// The registers in the form that core files use: `elf_gregset_t`.
    public var registers: [UInt64]

    /// Makes a thread.
    public init(id: Int, name: String?, isStopped: Bool, registers: [UInt64]) {
      (self.id, self.name, self.isStopped, self.registers) = (id, name, isStopped, registers)
    }
  }

  /// A line of `/proc/PID/maps`.
  public struct Mapping {
    /// The first address.
    public var start: UInt64
    /// The address after the last byte.
    public var end: UInt64
    /// Where the mapping begins in its file: the offset in bytes.
    public var fileOffset: UInt64
    /// Whether the process may write to it.
    public var isWritable: Bool
    /// Whether the process may run code in it.
    public var isExecutable: Bool
    /// The path of the mapping's file, as the process that makes the copy sees it: that process may be in another
    /// container. `nil` if the mapping has no file.
    public var path: String?

    /// Makes a mapping.
    public init(
      start: UInt64, end: UInt64, fileOffset: UInt64, isWritable: Bool, isExecutable: Bool, path: String?
    ) {
      (self.start, self.end, self.fileOffset) = (start, end, fileOffset)
      (self.isWritable, self.isExecutable, self.path) = (isWritable, isExecutable, path)
    }
  }

  /// The process's id.
  public var process: Int
  /// The kernel's name of the process: at most 15 bytes.
  public var name: String
  /// When it was stopped, in microseconds since 1970.
  public var time: Int64
  /// For how many seconds it was stopped.
  public var stopTime: Double
  /// The threads. The first is the main thread, unless that has ended.
  public var threads: [Thread]
  /// Threads that did not stop, and why.
  public var unanswered: [(id: Int, reason: String)]
  /// All mappings.
  public var mappings: [Mapping]
  /// The values that the kernel passed to the program at its start: the bytes of `/proc/PID/auxv`.
  public var auxiliary: [UInt8]
  /// The bits of code addresses that may hold a signature (pointer authentication of AArch64).
  public var codeMask: UInt64
  /// The copied memory.
  public var memory: MemoryCopy
  /// Why a part of the wanted memory was not copied; nil if all of it was copied.
  public var cut: String?

  /// Makes a copy.
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
