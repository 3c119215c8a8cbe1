#if Desk
  import CrashReportView

  /// How often something happened, as a row of bars.
  enum Trend {
    private static let width = 8.0
    private static let height = 32.0

    /// A drawing of these counts, the oldest first; `words` says the same for people who cannot see it.
    static func drawing(_ counts: [Int], _ words: String) -> String {
      let most = Double(max(1, counts.max() ?? 1))
      var markup = Markup()
      markup.element(
        "svg",
        [
          .literal("class", "trend"), .literal("role", "img"), .text(.label, words),
          .number("width", Double(counts.count) * width), .number("height", height),
        ]
      ) { markup in
        for (index, count) in counts.enumerated() {
          let bar = count == 0 ? 1 : max(2, height * Double(count) / most)
          markup.leaf(
            "rect",
            [
              count == 0 ? .literal("class", "none") : .literal("class", "some"),
              .number("x", Double(index) * width + 1), .number("y", height - bar), .number("width", width - 2),
              .number("height", bar),
            ])
        }
      }
      return markup.text
    }
  }
#endif
