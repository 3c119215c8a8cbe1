/// Counts the substitutions in a mangled Swift name, at most: `AC`, `AbcD`, `A12C`, `A0_` (docs/ABI/Mangling.rst of Swift).
///
/// The text of an identifier has none. A number is the length of an identifier, unless it belongs to what stands before
/// it: `S2i`, `A12C`, a pass behind `T`, an index, which ends in `_`. From the first number on that may be such a one,
/// nothing is taken for an identifier any more: a hostile name would hide substitutions there.
struct SwiftSubstitutions {
  /// No number counts more.
  private static let most = 1 << 20

  private(set) var count = 0
  /// Bytes that words of earlier identifiers add, at most: `0aB3End`.
  private(set) var bytesOfWords = 0
  private var longestIdentifier = 0
  private var repeats = 0
  private var isInside = false
  private var showsIdentifiers = true
  private var lastIdentifierEnd: Int?

  init(in mangled: String) {
    var mangled = mangled
    mangled.withUTF8 { count(in: $0) }
  }

  private mutating func count(in name: UnsafeBufferPointer<UInt8>) {
    var place = 0
    var hidden: Int?
    while place < name.count {
      let byte = name[place]
      if !isInside, showsIdentifiers, isDigit(byte) {
        if let end = identifierEnd(in: name, at: place) {
          (place, lastIdentifierEnd) = (end, end)
          continue
        }
        showsIdentifiers = isZeroIndex(in: name, at: place)
      }
      take(byte)
      place += 1
      if !showsIdentifiers, hidden == nil { hidden = place }
    }
    // Each letter may be such a word there.
    guard let hidden else { return }
    let letters = name[hidden...].count(where: isLetter)
    add(words: letters, of: max(longestIdentifier, name.count - hidden))
  }

  private mutating func add(words: Int, of length: Int) {
    bytesOfWords = min(bytesOfWords + words * min(length, Self.most), Self.most)
  }

  private mutating func take(_ byte: UInt8) {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9") where isInside:
      repeats = min(repeats * 10 + Int(byte - UInt8(ascii: "0")), Self.most)
      showsIdentifiers = false
    case UInt8(ascii: "a")...UInt8(ascii: "z") where isInside:
      count += max(1, repeats)
      repeats = 0
    default:
      if isInside { count += max(1, repeats) }
      (repeats, isInside) = (0, byte == UInt8(ascii: "A"))
      // Bytes below the blank begin references into memory.
      if byte == UInt8(ascii: "T") || byte < UInt8(ascii: " ") { showsIdentifiers = false }
    }
  }

  /// Where an identifier ends that surely begins at a digit.
  private mutating func identifierEnd(in name: UnsafeBufferPointer<UInt8>, at start: Int) -> Int? {
    guard start > 0, name[start - 1] != UInt8(ascii: "S") else { return nil }
    var place = start
    // Behind a zero, letters stand for words of the identifiers before; the last of them is a capital.
    var hasWords = name[place] == UInt8(ascii: "0")
    if hasWords { place += 1 }
    while true {
      while hasWords, place < name.count, isLetter(name[place]) {
        hasWords = name[place] >= UInt8(ascii: "a")
        add(words: 1, of: longestIdentifier)
        place += 1
      }
      if place > start, place < name.count, name[place] == UInt8(ascii: "0") {
        return place > start + 1 ? place + 1 : nil
      }
      var length = 0
      let number = place
      while place < name.count, isDigit(name[place]), length < name.count {
        length = length * 10 + Int(name[place] - UInt8(ascii: "0"))
        place += 1
      }
      guard place > number, place < name.count, length <= name.count - place else { return nil }
      if name[place] == UInt8(ascii: "_"), start != lastIdentifierEnd { return nil }
      place += length
      longestIdentifier = max(longestIdentifier, length)
      if !hasWords { return place }
    }
  }

  /// `0_` is an index and nothing else.
  private func isZeroIndex(in name: UnsafeBufferPointer<UInt8>, at place: Int) -> Bool {
    name[place] == UInt8(ascii: "0") && place + 1 < name.count && name[place + 1] == UInt8(ascii: "_")
  }

  private func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  private func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
  }
}
