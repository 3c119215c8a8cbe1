extension Watcher {
  /// The first line of `/proc/stat`: what all processors together did since the machine started, in ticks (proc(5)).
  struct ProcessorTimes {
    /// Ticks that somebody used, and all ticks.
    let busy, all: UInt64

    init(_ root: SystemRoot) throws(Unavailability) {
      let text = try root.text("/proc/stat")
      guard let line = text.split(separator: "\n").first(where: { $0.hasPrefix("cpu ") }) else {
        throw .failed("/proc/stat has no line of all processors")
      }
      // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
      let ticks = line.words.dropFirst().prefix(8).map { UInt64($0) }
      guard ticks.count >= 4, !ticks.contains(nil) else { throw .failed("/proc/stat: \(line.prefix(80))") }
      let known = ticks.compactMap { $0 }
      let idle = known[3] &+ (known.count > 4 ? known[4] : 0)
      let (sum, overflows) = known.reduce((UInt64(0), false)) { sum, next in
        let added = sum.0.addingReportingOverflow(next)
        return (added.partialValue, sum.1 || added.overflow)
      }
      guard !overflows, idle <= sum else { throw .failed("/proc/stat: \(line.prefix(80))") }
      busy = sum - idle
      all = sum
    }
  }
}
