import Glibc

extension Watcher {
  /// When this process started, from `/proc/self/stat` (proc(5), field 22), in nanoseconds since the machine did.
  static func processStart(_ root: SystemRoot) throws(Unavailability) -> UInt64 {
    let text = try root.text("/proc/self/stat")
    // The name may hold anything, parentheses and spaces too: what is behind its last parenthesis is parsed.
    guard let end = text.lastIndex(of: ")") else { throw .failed("/proc/self/stat") }
    let words = text[end...].dropFirst().words
    let ticks = UInt64(sysconf(Int32(_SC_CLK_TCK)))
    guard words.count > 19, let start = UInt64(words[19]), start <= UInt64.max / 1_000_000_000 else {
      throw .failed("/proc/self/stat")
    }
    return start * 1_000_000_000 / ticks
  }
}
