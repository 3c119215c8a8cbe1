extension String {
  /// How much of one string is shown.
  private static let longest = 2000

  /// The text without anything that a terminal would obey or that would change how the rest of the line reads: control
  /// characters and marks of direction are shown as `\u{…}`, line ends as `\n`, and what is very long is cut.
  package var harmless: String { harmless(upTo: Self.longest) }

  /// The same, cut after so many characters.
  func harmless(upTo longest: Int) -> String {
    var result = String.UnicodeScalarView()
    var count = 0
    for scalar in unicodeScalars {
      if count == longest { return String(result) + "… (\(unicodeScalars.count) characters)" }
      count += 1
      switch scalar {
      case "\n": result.append(contentsOf: "\\n".unicodeScalars)
      case "\t": result.append(contentsOf: "\\t".unicodeScalars)
      case _ where scalar.isTerminalHazard:
        result.append(contentsOf: "\\u{\(String(scalar.value, radix: 16, uppercase: true))}".unicodeScalars)
      default: result.append(scalar)
      }
    }
    return String(result)
  }
}

extension Unicode.Scalar {
  /// Whether a terminal would obey it, or it would change how the rest of the line reads.
  package var isTerminalHazard: Bool {
    switch properties.generalCategory {
    case .control, .lineSeparator, .paragraphSeparator, .surrogate: true
    // Marks of direction and other invisible characters, but for the joiner that emoji are made with.
    case .format: self != "\u{200D}"
    default: false
    }
  }
}
