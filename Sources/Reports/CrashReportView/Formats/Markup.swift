import CrashReportModel

/// Writes XML, HTML and SVG.
///
/// Names of elements and attributes are literals of the source, and all other text is escaped. So a report's text
/// cannot be inserted unescaped, and cannot become a link or a style.
package struct Markup {
  /// The written text.
  package private(set) var text = ""
  /// At most this much of one text is written, unless the caller says how much.
  private static let longest = 2000

  /// Makes an empty text.
  package init() {}

  /// How many bytes were written.
  package var size: Int { text.utf8.count }

  // MARK: Elements

  /// Writes an element with the output of the body, and its end.
  package mutating func element(
    _ name: StaticString, _ attributes: [Attribute] = [], _ body: (inout Markup) -> Void
  ) {
    addStart(name, attributes)
    text += ">"
    body(&self)
    text += "</\(name)>"
  }

  /// Writes an element with one text.
  package mutating func element(_ name: StaticString, _ attributes: [Attribute], _ content: String) {
    element(name, attributes) { $0.add(content) }
  }

  /// Writes an element without attributes, with one text.
  package mutating func element(_ name: StaticString, _ content: String) { element(name, []) { $0.add(content) } }

  /// Writes an element without contents and end tag: for XML, SVG and the void elements of HTML.
  package mutating func leaf(_ name: StaticString, _ attributes: [Attribute] = []) {
    addStart(name, attributes)
    text += "/>"
  }

  private mutating func addStart(_ name: StaticString, _ attributes: [Attribute]) {
    text += "<\(name)"
    for attribute in attributes { text += " \(attribute.name)=\"\(attribute.value)\"" }
  }

  // MARK: Text

  /// Writes a text on one line.
  package mutating func add(_ content: String) { text += Self.escaped(content.harmless(upTo: Self.longest)) }

  /// Writes a text on one line, and marks the place where it is cut.
  package mutating func add(_ content: String, upTo longest: Int) {
    add(content.count > longest ? content.prefix(longest - 1) + "…" : content)
  }

  /// Writes a text of several lines in full.
  package mutating func add(lines: String) { text += Self.escaped(lines: lines) }

  /// Writes a literal of the source.
  package mutating func add(literal: StaticString) { text += "\(literal)" }

  /// Writes a line end.
  package mutating func endLine() { text += "\n" }

  /// Text of several lines for an element. A log may get it too, so each line is harmless.
  private static func escaped(lines: String) -> String {
    lines.split(separator: "\n", omittingEmptySubsequences: false)
      .map { escaped(String($0).harmless(upTo: .max)) }.joined(separator: "\n")
  }

  /// Text for an element or an attribute. A character that XML 1.0 does not allow becomes U+FFFD.
  fileprivate static func escaped(_ text: String) -> String {
    guard text.utf8.contains(where: { isSpecial($0) }) else { return text }
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      case "\u{FFFE}"..."\u{FFFF}": result += "\u{FFFD}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  private static func isSpecial(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"), 0xEF: true
    default: false
    }
  }
}

extension Markup {
  /// An attribute of an element.
  package struct Attribute {
    fileprivate let name: String
    fileprivate let value: String

    /// The attributes that may contain text of a report. No link, style or script is among them.
    package enum TextName: String {
      case title, name, message, type, classname, value
      case label = "aria-label"
    }

    /// A text.
    package static func text(_ name: TextName, _ value: String) -> Attribute {
      Attribute(name: name.rawValue, value: Markup.escaped(value.harmless))
    }

    /// A value that is a literal of the source.
    package static func literal(_ name: StaticString, _ value: StaticString = "") -> Attribute {
      Attribute(name: "\(name)", value: Markup.escaped("\(value)"))
    }

    /// A number, of at most three digits after the point.
    package static func number(_ name: StaticString, _ value: Double, _ unit: StaticString = "") -> Attribute {
      var digits = Formatting.fixed(value.isFinite ? value : 0, digits: 3)[...]
      if digits.contains(".") { digits = digits.dropLast(while: "0").dropLast(while: ".") }
      return Attribute(name: "\(name)", value: "\(digits)\(unit)")
    }

    /// A name of a place on a page. The caller makes it of literals and numbers.
    static func page(_ name: StaticString, _ value: String) -> Attribute {
      Attribute(name: "\(name)", value: Markup.escaped(value))
    }

    /// A whole number.
    package static func count(_ name: StaticString, _ value: Int) -> Attribute {
      Attribute(name: "\(name)", value: String(value))
    }
  }
}

extension Substring {
  fileprivate func dropLast(while character: Character) -> Substring {
    var rest = self
    while rest.last == character { rest.removeLast() }
    return rest
  }
}
