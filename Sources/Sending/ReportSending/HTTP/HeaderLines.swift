/// A user's headers, one in each line.
public enum HeaderLines {
  /// Reads `Name: value` lines from the environment or a file.
  ///
  /// - Throws: `DestinationError` if they are on the command line, or if a line is not a header.
  public static func read(
    _ place: SecretPlace, _ settings: DestinationSettings
  ) throws(DestinationError) -> [HTTPRequest.Header] {
    var headers: [HTTPRequest.Header] = []
    for line in try place.readHidden(settings, "--headers").split(whereSeparator: \.isNewline) {
      guard let header = HTTPRequest.Header(line: line) else {
        throw DestinationError("--headers: a line is not a header (Name: value)")
      }
      headers.append(header)
    }
    return headers
  }
}

extension HTTPRequest.Header {
  private static let marks = "!#$%&'*+-.^_`|~"

  /// Reads `Name: value`; `nil` for a name that is no token (RFC 9110, section 5.6.2), or a value with control characters.
  init?(line: Substring) {
    let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2 else { return nil }
    self.init(checked: String(parts[0]), parts[1].drop { $0 == " " })
  }

  /// Makes a header; `nil` if a request may not have this name or value.
  public init?(checked name: String, _ value: Substring) {
    guard !name.isEmpty, name.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || Self.marks.contains($0)) }),
      value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
    else { return nil }
    self.init(name, String(value))
  }
}
