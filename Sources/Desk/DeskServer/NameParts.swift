#if Desk
  /// The words that a name in camel case is made of.
  enum NameParts {
    /// `OrderBook` as `Order Book`, `HTTPServer` as `HTTP Server`.
    static func separated(_ text: String) -> String {
      let letters = Array(text.unicodeScalars)
      var separated = String.UnicodeScalarView()
      for (index, letter) in letters.enumerated() {
        if index > 0, startsPart(letter, after: letters[index - 1], before: letters.dropFirst(index + 1).first) {
          separated.append(" ")
        }
        separated.append(letter)
      }
      return String(separated)
    }

    private static func startsPart(_ letter: Unicode.Scalar, after last: Unicode.Scalar, before next: Unicode.Scalar?)
      -> Bool
    {
      guard letter.properties.isUppercase else { return false }
      return last.properties.isLowercase || (last.properties.isUppercase && next?.properties.isLowercase == true)
    }
  }
#endif
