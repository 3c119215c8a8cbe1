#if Desk
  import CrashReportView

  /// A metric's numbers as people read and write them.
  enum LiveFigures {
    static func text(_ value: Double, _ unit: LivePush.Unit) -> String {
      switch unit {
      case .ratio: decimal(value * 100) + " %"
      case .bytes: bytes(value)
      case .bytesPerSecond: bytes(value) + "/s"
      case .seconds: seconds(value)
      case .count: decimal(value)
      }
    }

    static func bytes(_ value: Double) -> String {
      var (value, units) = (value, ["B", "kB", "MB", "GB", "TB", "PB"][...])
      while abs(value) >= 1000, units.count > 1 {
        value /= 1000
        units.removeFirst()
      }
      return decimal(value) + " " + (units.first ?? "")
    }

    static func seconds(_ value: Double) -> String {
      abs(value) < 1 ? decimal(value * 1000) + " ms" : decimal(value) + " s"
    }

    /// With one place behind the point.
    static func decimal(_ value: Double) -> String {
      guard abs(value) < 1e15 else { return "\(value)" }
      let tenths = Int((value * 10).rounded())
      return (tenths < 0 ? "-" : "") + "\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    /// What people write as a threshold: a number in the metric's unit, and `80 %` for a ratio. `nil` for anything else.
    static func threshold(_ text: String, _ unit: LivePush.Unit) -> Double? {
      var text = text.filter { !$0.isWhitespace }
      let isPercent = unit == .ratio && text.last == "%"
      if isPercent { text.removeLast() }
      guard text.utf8.count <= 30, text.allSatisfy({ $0.isASCII && ($0.isNumber || "+-.eE".contains($0)) }),
        let number = Double(text), number.isFinite
      else { return nil }
      let value = isPercent ? number / 100 : number
      return unit == .ratio ? ((0...1).contains(value) ? value : nil) : (value >= 0 ? value : nil)
    }

    /// A threshold as the form has it before it is changed.
    static func written(_ threshold: Double, _ unit: LivePush.Unit) -> String {
      unit == .ratio ? decimal(threshold * 100) + " %" : "\(threshold)"
    }
  }

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
        ", critical from \(LiveFigures.text($0, metric.unit)) \(metric.range == .lower ? "up" : "down")"
      }
      return "\(metric.name) is \(LiveFigures.text(value, metric.unit))\(limit ?? "")"
    }
  }
#endif
