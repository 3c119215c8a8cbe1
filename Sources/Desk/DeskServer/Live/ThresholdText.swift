#if Desk
  import CrashReportModel

  /// A threshold as people write it.
  enum ThresholdText {
    /// A number in the metric's unit, and `80 %` for a ratio. `nil` for anything else.
    static func read(_ text: String, _ unit: LivePush.Unit) -> Double? {
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
      unit == .ratio ? Figures.decimal(threshold * 100) + " %" : "\(threshold)"
    }
  }
#endif
