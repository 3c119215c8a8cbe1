extension Watcher {
  /// The first line of `/proc/stat`: what all processors together did since the machine started, in ticks (proc(5)).
  struct ProcessorTimes {
    /// Ticks in which the processors worked, and all ticks.
    let busy, all: UInt64

    init(_ root: SystemRoot) throws(Unavailability) {
      self = try root.beginning(of: "/proc/stat") { text throws(Unavailability) in
        var text = text
        while let line = text.line() {
          if let ticks = line.behind("cpu ") { return try ProcessorTimes(ticks) }
        }
        throw .failed("/proc/stat has no line of all processors")
      }
    }

    private init(_ line: KernelText) throws(Unavailability) {
      var (rest, sum, idle, count) = (line, UInt64(0), UInt64(0), 0)
      // user, nice, system, idle, iowait, irq, softirq, steal; what follows is part of the first two.
      while count < 8, let word = rest.word() {
        guard let ticks = word.number else { throw Self.failure(line) }
        let added = sum.addingReportingOverflow(ticks)
        guard !added.overflow else { throw Self.failure(line) }
        sum = added.partialValue
        if count == 3 || count == 4 { idle &+= ticks }
        count += 1
      }
      guard count >= 4, idle <= sum else { throw Self.failure(line) }
      busy = sum - idle
      all = sum
    }

    private static func failure(_ line: KernelText) -> Unavailability {
      .failed("/proc/stat: cpu \(line.string.prefix(76))")
    }
  }
}
