import Foundation

/// What the processors did since the machine started, in the kernel's ticks of 10 ms.
struct ProcessorTicks: Sendable {
  var busy: UInt64
  var all: UInt64

  struct Unreadable: Error, CustomStringConvertible {
    let description = "/proc/stat has no line of all processors"
  }

  /// Reads the machine's counters.
  static func now() throws -> ProcessorTicks {
    let text = try String(contentsOfFile: "/proc/stat", encoding: .utf8)
    let ticks = text.prefix { $0 != "\n" }.split(separator: " ").dropFirst().prefix(8).compactMap { UInt64($0) }
    guard ticks.count == 8 else { throw Unreadable() }
    let all = ticks.reduce(0, &+)
    return ProcessorTicks(busy: all - ticks[3] - ticks[4], all: all)
  }
  static let division = Place(below: 5)
  /// The share of the time since then that the processors were busy. It is 0/0 if no tick has come since.
  func share(since before: ProcessorTicks) -> Double {
    let busy = Double(self.busy &- before.busy)
    let all = Double(self.all &- before.all)
    return busy / all
  }
}
