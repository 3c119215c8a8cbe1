import CrashReportModel
import Foundation
import Testing

@testable import CrashReportView

@Suite struct RepeatedFramesTests {
  private func folds(_ names: String) -> [RepeatedFrames.Fold] {
    RepeatedFrames.folds(
      names.enumerated().map { StackLine(number: $0, function: String($1), location: "", isOwn: true) })
  }

  @Test func shortRunsAreShown() {
    #expect(folds("").isEmpty)
    #expect(folds("abcdef").isEmpty)
    #expect(folds("xaaaay").isEmpty)
    #expect(folds("ababab").isEmpty)
  }

  @Test func longRunsAreFolded() {
    #expect(folds("xaaaaay") == [.init(lines: 3..<6, cycle: 1)])
    #expect(folds("ababababab") == [.init(lines: 4..<10, cycle: 2)])
    #expect(folds("xabcabcabcabcabcaby") == [.init(lines: 7..<16, cycle: 3)])
    #expect(folds("aaaaabbbbb") == [.init(lines: 2..<5, cycle: 1), .init(lines: 7..<10, cycle: 1)])
  }
}

@Suite struct ThunkTests {
  private func print(_ names: [String]) -> String {
    var printer = Printer(usesColor: false)
    let frames = names.map { name in
      var frame = CrashReport.Frame(fields: JSONObject())
      frame.kind = .asyncResumePoint
      frame.description = name
      if name.hasPrefix("thunk") { frame.isSystem = true }
      return frame
    }
    let report = CrashReport(fields: JSONObject())
    let lines = StackLines(report, SourceFolders()).lines(frames)
    let excerpts = Excerpts(VerifiedReport(report: report), .init())
    StackPrinting(excerpts: excerpts).print(lines, withSource: false, to: &printer)
    return printer.text
  }

  @Test func severalInARowAreOneLine() {
    let thunks = (1...6).map { "thunk for () async -> () (\($0))" }
    #expect(
      print(["work()"] + thunks + ["run()"]) == """
         > 0  work() [async]
              ... 6 thunks that pass the call on (1 to 6)
         > 7  run() [async]

        """)
    #expect(print(["work()", thunks[0], "run()", thunks[1]]).split(separator: "\n").count == 4)
    // A recursion that goes through them is told as one.
    let round = ["work()", thunks[0], thunks[1]]
    #expect(print(Array(repeating: round, count: 9).joined() + []).contains("the same 3 frames 7 times more (6 to 26)"))
  }
}

@Suite struct GuardedWordsTests {
  /// What the program did to memory of two bytes, by the distance from its start.
  @Test(arguments: [
    ("useAfterFree", 1, "The crash is about its byte 1."),
    ("overrun", 2, "The crash is about the first byte past its end."),
    ("overrun", 3, "The crash is about the address 1 byte past its end."),
    ("overrun", 4, "The crash is about the address 2 bytes past its end."),
    ("underrun", -1, "The crash is about the address 1 byte before its start."),
    ("underrun", .min, "The crash is about the address 9223372036854775808 bytes before its start."),
    ("doubleFree", 0, "The program released it a second time."),
    ("misplacedFree", 1, "The program released the address of its byte 1 instead of the address of its start."),
    ("misplacedFree", -16, "The program released the address 16 bytes before its start."),
  ])
  func theDeedIsNamed(_ cause: String, _ offset: Int, _ words: String) {
    var memory = CrashReport.Guarded(fields: JSONObject())
    (memory.size, memory.offset) = (2, offset)
    var allocated = CrashReport.Guarded.Step(fields: JSONObject())
    allocated.thread = 7
    memory.allocated = allocated
    var report = CrashReport()
    report.causeCode = CrashReport.CauseCode(code: cause)
    report.guarded = memory
    let excerpts = Excerpts(VerifiedReport(report: report), .init())
    let steps = GuardedSection(report: report, options: .init(), excerpts: excerpts).steps
    #expect(steps.map(\.heading) == ["The memory, 2 bytes, was allocated by thread 7"])
    #expect(steps.map(\.detail) == [words])
  }
}

@Suite struct FormattingTests {
  @Test func numbers() {
    #expect(Formatting.fixed(-1.2041, digits: 3) == "-1.204")
    #expect(Formatting.fixed(0.0004, digits: 3) == "0.000")
    #expect(Formatting.fixed(-0.0004, digits: 3) == "0.000")
    #expect(Formatting.fixed(9.96, digits: 1) == "10.0")
    #expect(Formatting.fixed(12, digits: 0) == "12")
    #expect(Formatting.fixed(1e300, digits: 1) == "1e+300")
    #expect(Formatting.fixed(.nan, digits: 1) == "nan")
    #expect(Formatting.bytes(1) == "1 byte")
    #expect(Formatting.bytes(1023) == "1023 bytes")
    #expect(Formatting.bytes(1536) == "1.5 KiB")
    #expect(Formatting.bytes(.max) == "8388608.0 TiB")
    #expect(Formatting.bytes(.min) == "-8388608.0 TiB")
    #expect(Formatting.duration(90) == "1.5 min")
  }

  /// Each part is harmless by itself.
  @Test(arguments: [false, true]) func partsMakeNoCommandTogether(_ usesColor: Bool) {
    var printer = Printer(usesColor: usesColor)
    printer.line([Segment("  "), Segment(":"), Segment(":error::x")])
    printer.line([Segment("a ##"), Segment("[error]x")])
    #expect(printer.text == "  \\u{3A}:error::x\na ##\\u{5B}error]x\n")
  }
}

@Suite struct SourceExcerptTests {
  private func excerpt(_ text: String, line: Int, column: Int?) -> SourceExcerpt? {
    SourceExcerpt(of: Array(text.utf8), line: line, column: column)
  }

  @Test func caretStandsUnderTheColumn() throws {
    let found = try #require(excerpt("one\n\té = boom()\r\nthree", line: 2, column: 6))
    #expect(found.lines.map(\.number) == [1, 2, 3])
    #expect(found.lines[1].text == "    é = boom()")
    #expect(found.caret == 7)
    #expect(excerpt("one\n", line: 1, column: 9)?.caret == nil)
  }

  @Test func absentPartsAreNotShown() {
    #expect(excerpt("one\n", line: 2, column: 1) == nil)
    #expect(excerpt("one\n", line: 0, column: 1) == nil)
    #expect(excerpt("one\n", line: .max, column: 1) == nil)
    #expect(excerpt("", line: 1, column: 1) == nil)
  }

  @Test func aLineOfAMegabyteIsCut() throws {
    let found = try #require(excerpt(String(repeating: "x", count: 1 << 20) + "\ntwo", line: 1, column: 1 << 19))
    #expect(found.lines.map(\.text.count) == [200, 3])
    #expect(found.caret == nil)
  }
}
