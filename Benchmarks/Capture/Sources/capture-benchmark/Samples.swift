/// Repeated measurements of one thing, in microseconds.
struct Samples {
  private(set) var values: [Double] = []

  mutating func append(_ value: Double) { values.append(value) }

  var best: Double? { values.min() }

  var median: Double? {
    guard !values.isEmpty else { return nil }
    let sorted = values.sorted()
    let middle = sorted.count / 2
    return sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  }

  /// `median (best)` in milliseconds, or why there is nothing to show.
  var milliseconds: String {
    guard let median, let best else { return "none" }
    return "\(rounded(median / 1000)) (\(rounded(best / 1000)))"
  }

  /// `median (best)` in microseconds.
  var microseconds: String {
    guard let median, let best else { return "none" }
    return "\(rounded(median)) (\(rounded(best)))"
  }
}

/// Three significant digits at most, for more would claim what one machine cannot tell.
private func rounded(_ value: Double) -> String {
  let digits = value >= 100 ? 1.0 : value >= 10 ? 10.0 : 100.0
  let text = "\((value * digits).rounded() / digits)"
  return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
}
