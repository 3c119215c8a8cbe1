import Glibc

extension Watcher {
  /// When this process started, from `/proc/self/stat` (proc(5), field 22), in nanoseconds since the machine did.
  static func processStart(_ root: SystemRoot) throws(Unavailability) -> UInt64 {
    let number = try root.beginning(of: "/proc/self/stat") { text -> UInt64? in
      // The name may hold anything, parentheses and spaces too: what is behind its last parenthesis is parsed.
      guard var fields = text.behindLast(UInt8(ascii: ")")) else { return nil }
      for _ in 0..<19 where fields.word() == nil { return nil }
      return fields.word()?.number
    }
    let ticks = UInt64(sysconf(Int32(_SC_CLK_TCK)))
    guard let start = number, start <= UInt64.max / 1_000_000_000 else { throw .failed("/proc/self/stat") }
    return start * 1_000_000_000 / ticks
  }
}
