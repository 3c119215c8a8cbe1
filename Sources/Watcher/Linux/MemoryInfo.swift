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

  /// How near this process's control groups are to their limits: each counts what is used in it and below it.
  static func fullestGroup(_ root: SystemRoot, machine: UInt64) throws(Unavailability) -> Double? {
    let group = ControlGroup(root)
    let files =
      group.version(of: "memory") == .two
      ? ("memory.max", "memory.current") : ("memory.limit_in_bytes", "memory.usage_in_bytes")
    var fullest: Double?
    for (limit, used) in try group.pairs("memory", files.0, files.1) {
      // "max" and, in the first version, a number beyond all memory stand for no limit.
      guard let limit = UInt64(limit), limit > 0, limit < machine else { continue }
      guard let used = UInt64(used) else { throw .failed("\(files.1): \(used.prefix(40))") }
      fullest = max(fullest ?? 0, Double(used) / Double(limit))
    }
    return fullest
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
