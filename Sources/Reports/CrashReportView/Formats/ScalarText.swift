/// Marks of a format are escaped scalar by scalar, for their readers know no characters: a combining mark behind a quote
/// makes one `Character` of both, which is not equal to the quote.
extension String {
  /// The text in which each scalar with a replacement is replaced.
  package func replacingScalars(_ replacement: (Unicode.Scalar) -> String?) -> String {
    var result = UnicodeScalarView()
    for scalar in unicodeScalars {
      if let text = replacement(scalar) {
        // One by one: += copies all of the result.
        for other in text.unicodeScalars { result.append(other) }
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// Whether the first or the last scalar is this one.
  func beginsOrEnds(with scalar: Unicode.Scalar) -> Bool {
    unicodeScalars.first == scalar || unicodeScalars.last == scalar
  }
}
