import Glibc

extension Watcher {
  /// `/proc/meminfo`, in bytes (proc(5)).
  struct MemoryInfo {
    let total, available: UInt64

    init(_ root: SystemRoot) throws(Unavailability) {
      var found: [Substring: UInt64] = [:]
      for line in try root.text("/proc/meminfo").split(separator: "\n") {
        let words = line.words
        guard words.count >= 2, let size = UInt64(words[1]), size <= UInt64.max >> 10 else { continue }
        found[words[0]] = size << 10
      }
      guard let total = found["MemTotal:"], total > 0 else { throw .failed("/proc/meminfo has no MemTotal") }
      guard let available = found["MemAvailable:"] else { throw .failed("/proc/meminfo has no MemAvailable") }
      guard available <= total else { throw .failed("/proc/meminfo: more available than there is") }
      self.total = total
      self.available = available
    }
  }

  /// What this process may use: the smallest of the machine's memory and the limits of its control groups.
  struct MemoryLimit {
    /// In bytes.
    let bytes: UInt64
    /// What the control group with limits uses; `nil` where none has any.
    let groupUses: UInt64?

    init(_ root: SystemRoot) throws(Unavailability) {
      let machine = try MemoryInfo(root).total
      let group = ControlGroup(root)
      let isTwo = group.version(of: "memory") == .two
      // "max" and, in the first version, a number beyond all memory stand for no limit.
      let limits = try group.lines("memory", isTwo ? "memory.max" : "memory.limit_in_bytes").compactMap { UInt64($0) }
      bytes = min(machine, limits.filter { $0 > 0 }.min() ?? machine)
      let uses = bytes < machine ? try group.line("memory", isTwo ? "memory.current" : "memory.usage_in_bytes") : nil
      groupUses = uses.flatMap { UInt64($0) }
    }
  }

  /// `/proc/self/statm`: the pages that are in memory, in bytes.
  static func residentBytes(_ root: SystemRoot) throws(Unavailability) -> UInt64 {
    let words = try root.text("/proc/self/statm").words
    guard words.count > 1, let pages = UInt64(words[1]) else { throw .failed("/proc/self/statm") }
    let (bytes, overflows) = pages.multipliedReportingOverflow(by: UInt64(sysconf(Int32(_SC_PAGESIZE))))
    guard !overflows else { throw .failed("/proc/self/statm") }
    return bytes
  }
}
