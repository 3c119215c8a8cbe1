#if Desk
  import CrashReportModel
  import CrashReportView

  /// A metric as a bar with a mark at its threshold.
  enum Gauge {
    private static let width = 220.0
    private static let height = 16.0

    /// A ratio fills it with 100 %, others with twice their threshold.
    static func drawing(_ metric: LivePush.Metric) -> String {
      guard let value = metric.value else { return "" }
      let whole = metric.unit == .ratio ? 1 : max(metric.threshold.map { $0 * 2 } ?? value, .leastNormalMagnitude)
      func place(_ value: Double) -> Double { width * min(max(value / whole, 0), 1) }
      var markup = Markup()
      markup.element(
        "svg",
        [
          metric.side == .critical ? .literal("class", "gauge critical") : .literal("class", "gauge"),
          .literal("role", "img"), .text(.label, words(metric)), .literal("viewBox", "0 0 220 16"),
          .literal("preserveAspectRatio", "none"), .number("width", width), .number("height", height),
        ]
      ) { markup in
        markup.leaf("rect", [.literal("class", "none"), .number("width", width), .number("height", height)])
        markup.leaf("rect", [.literal("class", "some"), .number("width", place(value)), .number("height", height)])
        guard let threshold = metric.threshold else { return }
        let mark = min(place(threshold), width - 2)
        markup.leaf(
          "rect", [.literal("class", "mark"), .number("x", mark), .number("width", 2), .number("height", height)])
      }
      return markup.text
    }

    /// The same in words.
    static func words(_ metric: LivePush.Metric) -> String {
      guard let value = metric.value else { return metric.reason ?? "no value" }
      let limit = metric.threshold.map {
        ", critical from \(Figures.text($0, metric.unit)) \(metric.range == .lower ? "up" : "down")"
      }
      return "\(metric.name) is \(Figures.text(value, metric.unit))\(limit ?? "")"
    }
  }
#endif
