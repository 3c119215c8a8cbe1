import CrashReportModel

/// A report as collapsed stacks, the input of flame graphs. Each different stack is a line: its functions from the
/// outermost on, separated by `;`, then a space and the number of its samples.
public enum CollapsedStacks {
  /// The lines of a report, the most frequent stack first; `nil` if it has no stack.
  public static func text(of report: CrashReport) -> String? {
    var counts: [String: Int] = [:]
    var order: [String] = []
    for sample in SampledStacks(report).samples where !sample.entries.isEmpty {
      let stack = sample.entries.map { name($0.name) }.joined(separator: ";")
      if counts[stack] == nil { order.append(stack) }
      counts[stack, default: 0] += 1
    }
    let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
    order.sort { counts[$0]! != counts[$1]! ? counts[$0]! > counts[$1]! : places[$0]! < places[$1]! }
    return order.isEmpty ? nil : order.map { "\($0) \(counts[$0]!)\n" }.joined()
  }

  /// A name that ends neither the entry nor the line.
  private static func name(_ text: String) -> String {
    text.replacingScalars { $0 == ";" ? ":" : nil }.harmless
  }
}
