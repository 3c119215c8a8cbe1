import CrashReportModel

/// Writes Markdown as GitHub, GitLab and chat programs read it.
///
/// The text of a report stands in code spans and code blocks alone. No renderer looks there for HTML, links, images,
/// mentions or references to issues, which escaped text may still become. Everything else is a literal of the source.
struct MarkdownWriter {
  /// The text that was written.
  private(set) var text = ""
  /// At most this much of a text on one line is shown.
  private static let longestSpan = 300

  /// How long the text is, as JavaScript counts it and the services that limit it.
  var length: Int { text.utf16.count }

  /// A heading that is the text of a report.
  mutating func heading(code: String) { add(paragraph: "## \(Self.span(code))") }

  /// A list of names and values.
  mutating func list(_ items: [(title: StaticString, text: String)]) {
    guard !items.isEmpty else { return }
    add(paragraph: items.map { "- \($0.title): \(Self.span($0.text))" }.joined(separator: "\n"))
  }

  /// A sentence of the source.
  mutating func paragraph(_ words: StaticString) { add(paragraph: "\(words)") }

  /// A sentence with a number in it.
  mutating func paragraph(_ before: StaticString, _ count: Int, _ after: StaticString) {
    add(paragraph: "\(before)\(count)\(after)")
  }

  /// Lines under a heading. A text beyond the limit is cut after a whole line, and its end says so.
  mutating func block(_ title: StaticString, _ lines: String, isDetail: Bool, atMost limit: Int) {
    let lines = Self.shortened(lines)
    let fence = String(repeating: "`", count: max(3, Self.longestRun(in: lines) + 1))
    let (start, end) =
      isDetail
      ? ("<details>\n<summary>\(title)</summary>\n\n\(fence)text\n", "\(fence)\n\n</details>")
      : ("### \(title)\n\n\(fence)text\n", fence)
    let room = limit - start.utf16.count - end.utf16.count
    add(paragraph: start + Cutting.text(lines, atMost: room) { $0.utf16.count } + end)
  }

  private mutating func add(paragraph: String) { text += (text.isEmpty ? "" : "\n") + paragraph + "\n" }

  // MARK: Code

  /// Longer runs of backticks are shortened: a fence is longer than every run in its block.
  private static let longestTicks = 16

  private static func span(_ text: String) -> String {
    let code = shortened(text.harmless(upTo: longestSpan))
    guard !code.isEmpty else { return "` `" }
    let ticks = String(repeating: "`", count: longestRun(in: code) + 1)
    // A blank parts the text from the ticks; a reader takes one away at each side.
    let isApart = code.beginsOrEnds(with: "`") || code.beginsOrEnds(with: " ")
    return isApart ? "\(ticks) \(code) \(ticks)" : ticks + code + ticks
  }

  private static func shortened(_ text: String) -> String {
    guard longestRun(in: text) > longestTicks else { return text }
    var run = 0
    return text.replacingScalars { scalar in
      run = scalar == "`" ? run + 1 : 0
      return run <= longestTicks ? nil : ""
    }
  }

  /// The longest run of backticks.
  private static func longestRun(in text: String) -> Int {
    var (longest, run) = (0, 0)
    for byte in text.utf8 {
      run = byte == UInt8(ascii: "`") ? run + 1 : 0
      longest = max(longest, run)
    }
    return longest
  }
}
