extension Watcher {
  /// `/proc/self/net/dev`: what all interfaces but loopback received and sent, in bytes (proc(5)); `nil` if a line lacks
  /// the number.
  struct NetworkCounters: Sendable {
    private(set) var received: UInt64? = 0
    private(set) var sent: UInt64? = 0
    /// Sums over different interfaces have nothing to do with each other: their names are the counters' source.
    private(set) var source: UInt64 = 0xcbf2_9ce4_8422_2325

    /// Two providers read it.
    static let shared = SharedLook { root throws(Unavailability) in try NetworkCounters(root) }

    init(_ root: SystemRoot) throws(Unavailability) {
      self = try root.whole("/proc/self/net/dev") { text throws(Unavailability) in try NetworkCounters(text) }
    }

    private init(_ text: KernelText) throws(Unavailability) {
      var text = text
      var isAlone = true
      while var line = text.line() {
        guard let name = line.part(before: UInt8(ascii: ":"))?.trimmed, !(name == "lo") else { continue }
        isAlone = false
        received = Self.add(line.word()?.number, to: received)
        // The 9th of the line's numbers.
        for _ in 0..<7 where line.word() == nil { break }
        sent = Self.add(line.word()?.number, to: sent)
        for byte in name.bytes { source = (source ^ UInt64(byte)) &* 0x100_0000_01b3 }
        source = (source ^ 0xff) &* 0x100_0000_01b3
      }
      guard !isAlone else { throw .noDevice("network interface") }
    }

    private static func add(_ count: UInt64?, to sum: UInt64?) -> UInt64? {
      guard let count, let sum else { return nil }
      return sum &+ count
    }
  }
}
