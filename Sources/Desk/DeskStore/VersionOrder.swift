#if Desk
  /// The order of versions: `1.10` comes after `1.9`.
  enum VersionOrder {
    /// Whether `version` is older than `other`. Runs of digits compare as numbers, all else as text.
    static func isOlder(_ version: String, than other: String) -> Bool {
      let (left, right) = (parts(version), parts(other))
      for (one, two) in zip(left, right) where one != two {
        switch (one, two) {
        case (.number(let one), .number(let two)): return one.count != two.count ? one.count < two.count : one < two
        case (.text(let one), .text(let two)): return one < two
        // A suffix is before the number that follows: `1.0-rc1` and `1.0.1`.
        case (.text, .number): return true
        case (.number, .text): return false
        }
      }
      guard left.count != right.count else { return false }
      // `1.0` is older than `1.0.1`, but newer than `1.0-rc1`.
      let rest = left.count < right.count ? right[left.count] : left[right.count]
      let restIsText = if case .text = rest { true } else { false }
      return (left.count < right.count) != restIsText
    }

    private enum Part: Hashable {
      /// A number without leading zeros.
      case number(String)
      case text(String)
    }

    private static func parts(_ version: String) -> [Part] {
      var parts: [Part] = []
      for piece in version.split(whereSeparator: { ".-+_ ()".contains($0) }) {
        var rest = piece
        while let first = rest.first {
          let isDigit = first.isASCII && first.isNumber
          let run = rest.prefix { ($0.isASCII && $0.isNumber) == isDigit }
          parts.append(isDigit ? .number(String(run.drop { $0 == "0" })) : .text(String(run)))
          rest = rest[run.endIndex...]
        }
      }
      return parts
    }
  }
#endif
