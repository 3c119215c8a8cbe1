import Glibc

/// The kernel's data about a process from `/proc/PID/stat`.
public struct ProcessStatus: Sendable, Equatable {
  /// `PF_KTHREAD`
  private static let kernelFlag: UInt64 = 0x20_0000

  /// The state as one letter: `R`, `S`, `Z`, …
  public let state: Character
  /// The id of the parent: the process that started this one or, after that process ended, the new parent.
  public let parent: pid_t
  /// When it started, in clock ticks since the boot.
  public let startTicks: UInt64

  /// Whether it is a kernel thread, which has no program.
  public let isOfKernel: Bool

  /// Whether the process has ended, and only its entry in the process table remains.
  public var hasEnded: Bool { state == "Z" || state == "X" }

  /// Reads the data of a process; `nil` if there is no such process.
  public init?(of process: pid_t) {
    guard let bytes = KernelFile.read("/proc/\(process)/stat") else { return nil }
    self.init(text: bytes)
  }

  /// Reads the line. The process's name, in parentheses, may hold any bytes: blanks, parentheses, invalid UTF-8. No
  /// field after it has a parenthesis.
  package init?(text: [UInt8]) {
    guard let name = text.lastIndex(of: UInt8(ascii: ")")) else { return nil }
    // proc(5): field 3, the state, is the first after the name; field 9 has the kernel's flags, field 22 the start.
    let fields = text[(name + 1)...].split { $0 <= UInt8(ascii: " ") }.map { String(decoding: $0, as: UTF8.self) }
    guard fields.count > 19, fields[0].count == 1, let state = fields[0].first, let parent = pid_t(fields[1]),
      let startTicks = UInt64(fields[19]), let flags = UInt64(fields[6])
    else { return nil }
    self.state = state
    self.parent = parent
    self.startTicks = startTicks
    isOfKernel = flags & Self.kernelFlag != 0
  }
}
