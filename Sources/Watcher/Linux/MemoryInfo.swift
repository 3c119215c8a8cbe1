import Glibc

extension Watcher {
  /// `/proc/meminfo`, in bytes (proc(5)).
  struct MemoryInfo: Sendable {
    let total, available: UInt64

    /// Two providers read it.
    static let shared = SharedLook { root throws(Unavailability) in try MemoryInfo(root) }

    /// The part of the machine's memory that is not available.
    var load: Double { Double(total - available) / Double(total) }

    init(_ root: SystemRoot) throws(Unavailability) {
      let found = try root.beginning(of: "/proc/meminfo") { text in
        var text = text
        var (total, available): (UInt64?, UInt64?)
        while total == nil || available == nil, var line = text.line() {
          guard let name = line.word(), let size = line.word()?.number, size <= UInt64.max >> 10 else { continue }
          if name == "MemTotal:" { total = size << 10 } else if name == "MemAvailable:" { available = size << 10 }
        }
        return (total, available)
      }
      guard let total = found.0, total > 0 else { throw .failed("/proc/meminfo has no MemTotal") }
      guard let available = found.1 else { throw .failed("/proc/meminfo has no MemAvailable") }
      guard available <= total else { throw .failed("/proc/meminfo: more available than there is") }
      self.total = total
      self.available = available
    }
  }

  /// The share of its limit that the fullest of this process's control groups uses. A group's use includes the groups
  /// below it.
  static func fullestGroup(_ root: SystemRoot, machine: UInt64) throws(Unavailability) -> Double? {
    let group = ControlGroup.own(root, ["memory"])
    let isTwo = group.version(of: "memory") == .two
    let names = isTwo ? ("memory.max", "memory.current") : ("memory.limit_in_bytes", "memory.usage_in_bytes")
    var fullest: Double?
    for folder in group.folders(of: "memory") {
      // "max" and, in the first version, a number beyond all memory stand for no limit.
      let number = try root.line("\(folder)/\(names.0)") { $0.number }
      guard case .some(.some(let limit)) = number, limit > 0, limit < machine else { continue }
      let used = try root.line("\(folder)/\(names.1)") { text throws(Unavailability) in
        guard let used = text.number else { throw .failed("\(names.1): \(text.string.prefix(40))") }
        return used
      }
      if let used { fullest = max(fullest ?? 0, Double(used) / Double(limit)) }
    }
    return fullest
  }

  /// `/proc/self/statm`: the pages that are in memory, in bytes.
  static func residentBytes(_ root: SystemRoot) throws(Unavailability) -> UInt64 {
    let number = try root.beginning(of: "/proc/self/statm") { text in
      var text = text
      return text.word() == nil ? nil : text.word()?.number
    }
    guard let pages = number else { throw .failed("/proc/self/statm") }
    let (bytes, overflows) = pages.multipliedReportingOverflow(by: UInt64(sysconf(Int32(_SC_PAGESIZE))))
    guard !overflows else { throw .failed("/proc/self/statm") }
    return bytes
  }
}
