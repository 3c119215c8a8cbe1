import Testing

@testable import CrashReportView

@Suite struct MarkupTests {
  @Test func textIsEscapedAndHarmless() {
    var markup = Markup()
    markup.element("p", [.text(.title, "a\"b'<c>\n&d")], "<script>\u{1B}[2J&amp;\u{0}\u{FFFF}")
    #expect(
      markup.text
        == "<p title=\"a&quot;b&#39;&lt;c&gt;\\n&amp;d\">&lt;script&gt;\\u{1B}[2J&amp;amp;\\u{0}\u{FFFD}</p>")
  }

  @Test func linesStayLines() {
    var markup = Markup()
    markup.add(lines: "a\n ::error::b\n##[error]c\u{1B}")
    #expect(markup.text == "a\n \\u{3A}:error::b\n##\\u{5B}error]c\\u{1B}")
  }

  @Test func longTextIsCut() {
    var markup = Markup()
    markup.add(String(repeating: "&", count: 100_000))
    #expect(markup.size < 11_000 && markup.text.hasSuffix("… (100000 characters)"))
  }

  @Test func numbersAreShort() {
    var markup = Markup()
    markup.leaf(
      "rect",
      [
        .number("a", 0.1 + 0.2), .number("b", 12, "%"), .number("c", .nan), .number("d", -1.5), .count("e", 100),
        .number("f", 100), .literal("g"),
      ])
    #expect(markup.text == "<rect a=\"0.3\" b=\"12%\" c=\"0\" d=\"-1.5\" e=\"100\" f=\"100\" g=\"\"/>")
  }
}
