/// Text that is safe on a terminal and in a log. All that the package prints of names, paths, messages and arguments goes
/// through here; `harmless.c` does the same in the process that dies.
extension String {
  /// How a dangerous character is shown on a terminal.
  package enum HazardForm {
    /// As an escape, such as `\u{1B}` or `\n`. No information is lost.
    case escaped
    /// As `?`. The text does not get longer.
    case masked
  }

  /// How much of one string is shown, unless the caller says how much.
  private static let longest = 2000

  /// The text without characters that control a terminal or a CI service, or that change how the rest of the line
  /// reads. A very long text is cut.
  package var harmless: String { harmless(upTo: Self.longest) }

  /// The complete name of a file, a function or an option, so that people can copy it.
  package var harmlessName: String { harmless(upTo: .max, as: .masked) }

  /// The text without control characters, line ends, marks of direction and invisible characters, cut after `longest`
  /// characters. CI services take commands from a program's output. So the bracket of `##[`, `##vso[` and similar texts
  /// is shown like a dangerous character, and so is the first colon of `::` at the beginning.
  package func harmless(upTo longest: Int, as form: HazardForm = .escaped) -> String {
    if utf8.count <= longest, isPlain { return self }
    var result = String.UnicodeScalarView()
    var (count, bracket) = (0, CommandBracket())
    let start = startOfWorkflowCommand
    var index = unicodeScalars.startIndex
    while index != unicodeScalars.endIndex {
      if count == longest { return String(result) + "… (\(unicodeScalars.count) characters)" }
      count += 1
      let scalar = unicodeScalars[index]
      if bracket.opens(with: scalar) || index == start || scalar.isHazard {
        // One by one: append(contentsOf:) copies all of the result.
        for shown in scalar.shown(as: form).unicodeScalars { result.append(shown) }
      } else {
        result.append(scalar)
      }
      index = unicodeScalars.index(after: index)
    }
    return String(result)
  }

  /// Most texts are: nothing but ASCII, no mark that begins a command.
  private var isPlain: Bool {
    var view = self
    return view.withUTF8 { bytes in
      var isPlain = bytes.first != UInt8(ascii: ":") && bytes.first != UInt8(ascii: " ")
      var previous: UInt8 = 0
      for byte in bytes {
        isPlain = isPlain && (0x20..<0x7F).contains(byte) && !(byte == UInt8(ascii: "#") && previous == byte)
        previous = byte
      }
      return isPlain
    }
  }

  /// The place of `::`, if only blanks are before it. GitHub's runner ignores these blanks.
  private var startOfWorkflowCommand: String.Index? {
    guard let start = unicodeScalars.firstIndex(where: { !$0.properties.isWhitespace }) else { return nil }
    return unicodeScalars[start...].starts(with: "::".unicodeScalars) ? start : nil
  }
}

/// Finds the "[" of "##[" and "##word[".
package struct CommandBracket {
  private enum State { case nothing, oneMark, twoMarks, word }
  private var state = State.nothing

  package init() {}

  /// Whether a command opens with this character, which follows the characters of the previous calls.
  package mutating func opens(with scalar: Unicode.Scalar) -> Bool {
    let isOpen = state == .twoMarks || state == .word
    switch scalar {
    case "#": state = state == .oneMark || state == .twoMarks ? .twoMarks : .oneMark
    case "a"..."z", "A"..."Z": state = isOpen ? .word : .nothing
    default: state = .nothing
    }
    return isOpen && scalar == "["
  }
}

extension Unicode.Scalar {
  /// Whether the character controls a terminal, is invisible, or changes the order of a line: control characters, line
  /// ends, marks of direction, and invisible characters except the joiner of emoji.
  package var isHazard: Bool {
    switch value {
    case 0x20...0x7E: false
    case 0...0x1F, 0x7F...0x9F: true
    case 0xAD, 0x34F, 0x61C, 0x115F...0x1160, 0x17B4...0x17B5, 0x180E, 0x3164, 0xFFA0: true
    // Spaces without width, marks and overrides of direction, line and paragraph separator, word joiner.
    case 0x200B...0x200C, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x206F: true
    // Characters that stand for a byte that is not UTF-8: see Linux/Bytes.swift.
    case 0x10FF80...0x10FFFF: true
    // The byte order mark, annotations, controls of shorthand and music, tags.
    case 0xFEFF, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE00FF, 0xE01F0...0xE0FFF: true
    default: false
    }
  }

  fileprivate func shown(as form: String.HazardForm) -> String {
    switch (form, self) {
    case (.masked, _): "?"
    case (.escaped, "\n"): "\\n"
    case (.escaped, "\t"): "\\t"
    case (.escaped, _) where value >= 0x10FF80: "\\x\(String(value & 0xFF, radix: 16, uppercase: true))"
    case (.escaped, _): "\\u{\(String(value, radix: 16, uppercase: true))}"
    }
  }
}
