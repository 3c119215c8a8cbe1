/// The root element's start tag of a JUnit file.
///
/// The file comes from a program that may have written anything, so each byte is looked at a bounded number of times.
struct JUnitRoot {
  /// The element's name.
  let name: String
  /// The place of the tag in the file, including its brackets.
  let range: Range<Int>
  /// Whether the element has no content.
  let isEmpty: Bool
  /// The digits of its counts, `tests` and `errors`, each where it first stands.
  private let counts: [String: Range<Int>]

  private static let longestCount = 9

  /// Reads the tag, and says how often it looked at a byte.
  static func read(_ bytes: ArraySlice<UInt8>) -> (root: JUnitRoot?, looks: Int) {
    var scan = Scan(bytes)
    let root = JUnitRoot(&scan)
    return (root, scan.looks)
  }

  /// Blanks, comments and processing instructions may be before the tag.
  private init?(_ scan: inout Scan) {
    while true {
      scan.skipBlanks()
      if scan.skip("<!--") {
        guard scan.skip(past: "-->") else { return nil }
      } else if scan.skip("<?") {
        guard scan.skip(past: "?>") else { return nil }
      } else {
        break
      }
    }
    let start = scan.place
    guard scan.skip("<"), let name = scan.word() else { return nil }
    var counts: [String: Range<Int>] = [:]
    var isEmpty = false
    while true {
      scan.skipBlanks()
      if scan.skip("/>") {
        isEmpty = true
        break
      }
      if scan.skip(">") { break }
      guard let attribute = scan.word(), scan.skip("="), let value = scan.quoted() else { return nil }
      let isCount = !value.isEmpty && value.count <= Self.longestCount && scan.bytes[value].allSatisfy(Scan.isDigit)
      if isCount, attribute == "tests" || attribute == "errors", counts[attribute] == nil { counts[attribute] = value }
    }
    self.name = name
    self.isEmpty = isEmpty
    self.counts = counts
    range = start..<scan.place
  }

  /// The tag of an element with content. If it counts its tests and errors, those of a further suite are added.
  func adding(_ errors: Int, of tests: Int, in bytes: ArraySlice<UInt8>) -> [UInt8] {
    var tag = Array(bytes[range])
    let added = [("tests", tests), ("errors", errors)].compactMap { name, more in counts[name].map { ($0, more) } }
    // The last one first: the places of those before it stay.
    for (digits, more) in added.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      let number = Int(String(decoding: bytes[digits], as: UTF8.self)) ?? 0
      let place = (digits.lowerBound - range.lowerBound)..<(digits.upperBound - range.lowerBound)
      tag.replaceSubrange(place, with: String(number + more).utf8)
    }
    if isEmpty { tag.remove(at: tag.count - 2) }
    return tag
  }

  /// Reads bytes from the first to the last, and counts how often it looks at one.
  private struct Scan {
    let bytes: ArraySlice<UInt8>
    var place: Int
    var looks = 0

    init(_ bytes: ArraySlice<UInt8>) {
      self.bytes = bytes
      place = bytes.startIndex
    }

    static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    private mutating func byte(at place: Int) -> UInt8? {
      looks += 1
      return place < bytes.endIndex ? bytes[place] : nil
    }

    mutating func skipBlanks() {
      while let byte = byte(at: place), [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
    }

    /// Whether the text is here, and then behind it.
    mutating func skip(_ text: StaticString) -> Bool {
      let isHere = text.withUTF8Buffer { text in
        text.indices.allSatisfy { byte(at: place + $0) == text[$0] }
      }
      if isHere { place += text.utf8CodeUnitCount }
      return isHere
    }

    /// Behind the next place that has the text, if there is one.
    mutating func skip(past text: StaticString) -> Bool {
      while place < bytes.endIndex {
        if skip(text) { return true }
        place += 1
      }
      return false
    }

    /// A name of letters, digits and `_-.:`.
    mutating func word() -> String? {
      let start = place
      while let byte = byte(at: place), Self.isNamePart(byte) { place += 1 }
      return place > start ? String(decoding: bytes[start..<place], as: UTF8.self) : nil
    }

    private static func isNamePart(_ byte: UInt8) -> Bool {
      let letter = byte | 0x20
      return (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(letter) || isDigit(byte) || byte >= 0x80
        || [UInt8(ascii: "_"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: ":")].contains(byte)
    }

    /// The text between two quotation marks.
    mutating func quoted() -> Range<Int>? {
      guard let mark = byte(at: place), mark == UInt8(ascii: "\"") || mark == UInt8(ascii: "'") else { return nil }
      place += 1
      let start = place
      while let byte = byte(at: place), byte != mark, byte != UInt8(ascii: "<") { place += 1 }
      guard byte(at: place) == mark else { return nil }
      place += 1
      return start..<(place - 1)
    }
  }
}
