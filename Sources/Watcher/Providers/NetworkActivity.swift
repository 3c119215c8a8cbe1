extension Watcher {
  /// The bytes that the interfaces of this network namespace, without loopback, receive or send in a second. The
  /// figures come from `/proc/self/net/dev` (proc(5)).
  public struct NetworkActivity: PromptProvider {
    /// The metric.
    public let metric: Metric
    private let root: SystemRoot
    private let column: KeyPath<NetworkCounters, UInt64?> & Sendable

    /// The bytes that the network interfaces receive in a second.
    public static func received(root: SystemRoot = .machine) -> NetworkActivity {
      NetworkActivity(metric: .networkReceived, root: root, column: \.received)
    }

    /// The bytes that the network interfaces send in a second.
    public static func sent(root: SystemRoot = .machine) -> NetworkActivity {
      NetworkActivity(metric: .networkSent, root: root, column: \.sent)
    }

    /// Takes a sample now.
    public func sample() -> Sample {
      let look = NetworkCounters.shared(root)
      let content = counters { () throws(Unavailability) in
        guard let count = try look.result.get()[keyPath: column] else { throw .failed("/proc/self/net/dev") }
        return .count(count, scale: 1)
      }
      return Sample(content, at: look.instant, source: (try? look.result.get())?.source ?? 0)
    }
  }
}
