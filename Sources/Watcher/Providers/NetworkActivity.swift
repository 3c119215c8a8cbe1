extension Watcher {
  /// What the interfaces of this network namespace receive or send, in bytes a second, loopback left out, from
  /// `/proc/self/net/dev` (proc(5)).
  public struct NetworkActivity: MetricProvider {
    public let metric: Metric
    private let root: SystemRoot
    private let column: Int

    /// What is received.
    public static func received(root: SystemRoot = .machine) -> NetworkActivity {
      NetworkActivity(metric: .networkReceived, root: root, column: 0)
    }

    /// What is sent.
    public static func sent(root: SystemRoot = .machine) -> NetworkActivity {
      NetworkActivity(metric: .networkSent, root: root, column: 8)
    }

    public func sample() -> Sample {
      // Sums over different interfaces have nothing to do with each other: the names are the counters' source.
      var source: UInt64 = 0xcbf2_9ce4_8422_2325
      let content = counters { () throws(Unavailability) in
        var sum: UInt64 = 0
        var interfaces = 0
        for line in try root.text("/proc/self/net/dev").split(separator: "\n") {
          guard let colon = line.firstIndex(of: ":") else { continue }
          let name = line[..<colon].trimmed
          if name == "lo" { continue }
          let words = line[colon...].dropFirst().words
          guard words.count > column, let count = UInt64(words[column]) else { throw .failed("/proc/self/net/dev") }
          sum &+= count
          interfaces += 1
          for byte in name.utf8 { source = (source ^ UInt64(byte)) &* 0x100_0000_01b3 }
          source = (source ^ 0xff) &* 0x100_0000_01b3
        }
        guard interfaces > 0 else { throw .noDevice("network interface") }
        return .count(sum, scale: 1)
      }
      return Sample(content, at: clockNanoseconds(), source: source)
    }
  }
}
