import CrashReportModel

/// How a piece of text is emphasised.
enum Style {
  case plain, bold, dim, alarm, warning, location

  /// The SGR parameters of ECMA-48; `nil` for plain text.
  var code: String? {
    switch self {
    case .plain: nil
    case .bold: "1"
    case .dim: "2"
    case .alarm: "1;31"
    case .warning: "33"
    case .location: "36"
    }
  }
}

/// A piece of a line in one style. Its text may come from a report and is made harmless as it is printed.
struct Segment {
  var text: String
  var style: Style

  init(_ text: String, _ style: Style = .plain) {
    self.text = text
    self.style = style
  }
}

/// Collects lines. Everything that a view prints goes through here, so no text of a report reaches a terminal as it is.
struct Printer {
  private(set) var text = ""
  let usesColor: Bool

  init(usesColor: Bool) {
    self.usesColor = usesColor
  }

  /// Adds a line.
  mutating func line(_ segments: [Segment]) {
    var texts = segments.map(\.text.harmless)
    // Columns are padded with blanks that the last one of a line does not need.
    while let last = texts.last {
      let trimmed = String(last.reversed().drop { $0 == " " }.reversed())
      texts[texts.count - 1] = trimmed
      if !trimmed.isEmpty { break }
      texts.removeLast()
    }
    var plain = ""
    for (safe, segment) in zip(texts, segments) where !safe.isEmpty {
      guard usesColor, let code = segment.style.code else {
        plain += safe
        continue
      }
      text += plain.harmless(upTo: .max)
      text += "\u{1B}[\(code)m\(safe)\u{1B}[0m"
      plain = ""
    }
    // Parts that are harmless by themselves may make a command of a CI service together.
    text += plain.harmless(upTo: .max) + "\n"
  }

  /// Adds a line in one style.
  mutating func line(_ text: String = "", _ style: Style = .plain) {
    line([Segment(text, style)])
  }

  /// Adds a heading after a blank line.
  mutating func heading(_ text: String) {
    line()
    line(text, .bold)
  }
}
