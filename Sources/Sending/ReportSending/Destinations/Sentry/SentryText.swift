import CrashReportModel

/// Texts as Sentry takes them. A program may have put anything into them.
enum SentryText {
  private static let nameMarks = "_.:-".unicodeScalars
  /// Sentry removes tags of these names: they are fields of its events, or were.
  private static let fieldNames: Set = ["release", "dist", "user", "filename", "function", "environment"]

  /// A name under which something is searched: letters, digits, `_`, `.`, `:` and `-`, at most 200 of them.
  static func tagName(_ text: String) -> String {
    if fieldNames.contains(text) { return "app.\(text)" }
    let name = text.unicodeScalars.prefix(200).map { scalar in
      let isPlain = scalar.isASCII && (scalar.properties.isAlphabetic || scalar.properties.numericType != nil)
      return isPlain || nameMarks.contains(scalar) ? Character(scalar) : "_"
    }
    return String(name)
  }

  /// One line of at most 200 characters; `nil` if nothing is left.
  static func tagValue(_ text: String) -> String? {
    let value = line(text, atMost: 200)
    return value.isEmpty ? nil : value
  }

  /// One line of at most `limit` characters, without blanks at its ends.
  static func line(_ text: String, atMost limit: Int) -> String {
    let scalars = text.unicodeScalars.prefix(limit * 2).map { $0.properties.generalCategory == .control ? " " : $0 }
    var view = String.UnicodeScalarView()
    view.append(contentsOf: scalars)
    return String(String(view).drop { $0 == " " }.prefix(limit).reversed().drop { $0 == " " }.reversed())
  }

  /// At most `limit` bytes of a text of several lines.
  static func text(_ text: String, atMost limit: Int) -> String {
    guard text.utf8.count > limit else { return text }
    var end = text.utf8.index(text.startIndex, offsetBy: limit - 3)
    while end > text.startIndex, end.samePosition(in: text.unicodeScalars) == nil { text.utf8.formIndex(before: &end) }
    return text[..<end] + "…"
  }

  /// `application@version+build`, as a release may be called; `nil` without a version.
  static func release(_ application: CrashReport.Application?) -> String? {
    guard let application, let version = application.version else { return nil }
    let text = (application.name.map { "\($0)@" } ?? "") + version + (application.build.map { "+\($0)" } ?? "")
    return name(text, atMost: 200, unless: "latest")
  }

  /// The name of an environment; `nil` if Sentry would refuse it.
  static func environment(_ text: String) -> String? { name(text, atMost: 64, unless: "none") }

  /// One line of at most `limit` bytes, without the characters that a release or an environment may not have.
  private static func name(_ text: String, atMost limit: Int, unless refused: String) -> String? {
    var name = String(line(text, atMost: limit).map { $0 == "/" || $0 == "\\" ? "_" : $0 })
    while name.utf8.count > limit { name.removeLast() }
    return ["", ".", "..", refused].contains(name.lowercased()) ? nil : name
  }

  /// The value of a tag from a text, a number or a truth value; `nil` for other values and for scrubbed texts.
  static func plain(_ value: JSONValue) -> String? {
    switch value {
    case .string(let text): text == CrashReport.scrubbedText ? nil : tagValue(text)
    case .number(let text): tagValue(text)
    case .bool(let flag): flag ? "true" : "false"
    case .null, .array, .object: nil
    }
  }
}

extension JSONValue {
  /// The value with each text cut to `texts` bytes, keys included, and each object cut to `members` members.
  func cut(texts: Int, members: Int) -> JSONValue {
    switch self {
    case .string(let text): .string(SentryText.text(text, atMost: texts))
    case .array(let elements): .array(elements.map { $0.cut(texts: texts, members: members) })
    case .object(let object):
      .object(
        JSONObject(
          members: object.members.prefix(members).map { member in
            .init(
              key: SentryText.text(member.key, atMost: min(texts, 200)),
              value: member.value.cut(texts: texts, members: members))
          }))
    case .null, .bool, .number: self
    }
  }
}
