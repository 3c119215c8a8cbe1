#if Desk
  /// The words of a name in camel case.
  enum NameParts {
    private enum Kind {
      case upper, lower, other
    }

    /// `OrderBook` as `Order Book`, `HTTPServer` as `HTTP Server`.
    static func separated(_ text: String) -> String {
      guard text.utf8.allSatisfy({ $0 < 0x80 }) else {
        let letters = Array(text.unicodeScalars)
        let separated = separated(letters, kind, blank: " ")
        return String(String.UnicodeScalarView(separated))
      }
      // Most names have no other letters, whose properties are looked up in tables.
      return String(decoding: separated(Array(text.utf8), kind, blank: UInt8(ascii: " ")), as: UTF8.self)
    }

    private static func separated<Letter>(_ letters: [Letter], _ kind: (Letter) -> Kind, blank: Letter) -> [Letter] {
      var separated: [Letter] = []
      separated.reserveCapacity(letters.count * 5 / 4)
      var (last, this) = (Kind.other, letters.first.map(kind) ?? .other)
      for index in letters.indices {
        let next = index + 1 < letters.count ? kind(letters[index + 1]) : .other
        if this == .upper, last == .lower || (last == .upper && next == .lower) { separated.append(blank) }
        separated.append(letters[index])
        (last, this) = (this, next)
      }
      return separated
    }

    private static func kind(_ letter: Unicode.Scalar) -> Kind {
      letter.properties.isUppercase ? .upper : letter.properties.isLowercase ? .lower : .other
    }

    private static func kind(_ letter: UInt8) -> Kind {
      switch letter {
      case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
      case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
      default: .other
      }
    }
  }
#endif
