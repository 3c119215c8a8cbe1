import CrashReportModel

/// A line of the screen, in pieces that are shown alike.
struct ViewLine {
  enum Look { case plain, strong, reversed, critical }
  struct Piece {
    var text: String
    var look: Look
  }

  private(set) var pieces: [Piece] = []

  init() {}
  init(_ text: String, _ look: Look = .plain) { add(text, look) }

  mutating func add(_ text: String, _ look: Look = .plain) { pieces.append(Piece(text: text, look: look)) }

  /// No wider than the screen, with the sequences that make it look as it should (ECMA-48, SGR).
  func encoded(_ columns: Int, _ style: ViewStyle) -> String {
    var left = columns
    var result = ""
    for piece in pieces where left > 0 {
      let text = Columns.cut(Columns.printable(piece.text, style), to: left)
      left -= Columns.count(text)
      let codes = style.codes(piece.look)
      result += codes.isEmpty || text.isEmpty ? text : "\u{1b}[\(codes)m\(text)\u{1b}[0m"
    }
    return result
  }
}

extension ViewStyle {
  /// Red stands out on light and dark backgrounds alike; nothing else is coloured.
  fileprivate func codes(_ look: ViewLine.Look) -> String {
    guard hasAttributes else { return "" }
    return switch look {
    case .plain: ""
    case .strong: "1"
    case .reversed: "7"
    case .critical: hasColour ? "1;31" : "1;7"
    }
  }
}

/// How many places text takes up on a terminal.
enum Columns {
  static func count(_ text: String) -> Int { text.reduce(0) { $0 + width($1) } }

  /// What fits, from the beginning.
  static func cut(_ text: String, to columns: Int) -> String {
    var left = columns
    return String(
      text.prefix { character in
        left -= width(character)
        return left >= 0
      })
  }

  /// What fits of both ends: addresses that begin alike end differently.
  static func cutMiddle(_ text: String, to columns: Int) -> String {
    guard count(text) > columns, columns > 4 else { return cut(text, to: columns) }
    let head = cut(text, to: columns / 3)
    let tail = cut(String(text.reversed()), to: columns - count(head) - 2)
    return head + ".." + tail.reversed()
  }

  /// Filled up with spaces, or cut.
  static func pad(_ text: String, to columns: Int) -> String {
    let fitting = cut(text, to: columns)
    return fitting + String(repeating: " ", count: max(0, columns - count(fitting)))
  }

  static func padLeft(_ text: String, to columns: Int) -> String {
    let fitting = cut(text, to: columns)
    return String(repeating: " ", count: max(0, columns - count(fitting))) + fitting
  }

  /// Nothing that a terminal would obey, and nothing that it cannot show.
  static func printable(_ text: String, _ style: ViewStyle) -> String {
    let harmless = text.harmlessName
    return style.hasUnicode ? harmless : String(harmless.map { $0.isASCII ? $0 : "?" })
  }

  /// Two for the scripts that Unicode's EastAsianWidth.txt calls wide, and for emoji.
  private static func width(_ character: Character) -> Int {
    guard let scalar = character.unicodeScalars.first, scalar.value >= 0x1100 else { return 1 }
    return switch scalar.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f,
      0xff00...0xff60, 0xffe0...0xffe6, 0x1f300...0x1faff, 0x20000...0x3fffd:
      2
    default: 1
    }
  }
}
