import CrashReportModel
import Testing

@testable import SystemJournal

@Suite struct JournalExportTests {
  private func field(_ name: String, _ value: [UInt8]) -> [UInt8] {
    let size = withUnsafeBytes(of: UInt64(value.count).littleEndian) { Array($0) }
    return Array(name.utf8) + [0x0A] + size + value + [0x0A]
  }

  private func crash(_ fields: [String: String]) throws -> JournalCrash {
    try #require(JournalCrash(["MESSAGE_ID": JournalCrash.messageIDs[0], "COREDUMP_PID": "1"].merging(fields) { $1 }))
  }

  @Test func bothFormsOfFieldsAreRead() {
    let bytes = Array("A=1=2\n".utf8) + field("B", Array("x\n\ny=z\n".utf8)) + Array("\nA=\nA=3\n\n\n".utf8)
    #expect(JournalExport.entries(in: bytes) == [["A": "1=2", "B": "x\n\ny=z\n"], ["A": ""]])
  }

  /// Whole entries before the damage are kept.
  @Test(
    arguments: [
      [], Array("B=2".utf8), Array("B\n".utf8), Array("B\n".utf8) + [255, 255, 255, 255, 255, 255, 255, 255],
      Array("B\n".utf8) + [0, 0, 0, 0, 0, 0, 0, 128, 0x0A],
      Array("B\n".utf8) + [9, 0, 0, 0, 0, 0, 0, 0] + Array("12345678\n".utf8),
      Array("B\n".utf8) + [1, 0, 0, 0, 0, 0, 0, 0] + Array("12\n\n".utf8),
    ] as [[UInt8]])
  func aDamagedEntryEndsTheList(_ tail: [UInt8]) {
    #expect(JournalExport.entries(in: Array("A=1\n\n".utf8) + tail) == [["A": "1"]])
  }

  @Test func entriesAreBounded() {
    let many = (0..<5_000).map { "F\($0)=x\n" }.joined() + "\n"
    #expect(JournalExport.entries(in: Array(many.utf8)).first?.count == 1_000)
    let long = JournalExport.entries(in: field("L", [UInt8](repeating: 0x61, count: 3 << 20)) + [0x0A])
    #expect(long.first?["L"]?.utf8.count == 64 << 10)
  }

  @Test func onlyCrashesCount() {
    #expect(JournalCrash(["COREDUMP_PID": "1"]) == nil)
    #expect(JournalCrash(["MESSAGE_ID": "0", "COREDUMP_PID": "1"]) == nil)
    #expect(JournalCrash(["MESSAGE_ID": JournalCrash.messageIDs[1]]) == nil)
    #expect(JournalCrash(["MESSAGE_ID": JournalCrash.messageIDs[1], "COREDUMP_PID": "1"]) != nil)
  }

  @Test(
    arguments: [
      ("1795759418602923", "2026-11-27 06:03:38"), ("-5", nil), ("99999999999999999999", nil), ("x", nil),
      ("9223372036854775807", nil),
    ] as [(String, String?)])
  func timesMayBeAnything(_ text: String, _ shown: String?) throws {
    let crash = try crash(["COREDUMP_TIMESTAMP": text])
    #expect(crash.time == nil || shown != nil)
    #expect(JournalText.list([crash]).contains(shown ?? "\n-  "))
  }

  @Test func signalsHaveNames() throws {
    #expect(try crash(["COREDUMP_SIGNAL": "11"]).signal == "SIGSEGV")
    #expect(try crash(["COREDUMP_SIGNAL": "11", "COREDUMP_SIGNAL_NAME": "SIGBUS"]).signal == "SIGBUS")
    #expect(try crash(["COREDUMP_SIGNAL": "exception"]).signal == "exception")
    #expect(try crash([:]).signal == nil)
  }

  @Test func filesAreNotOpened() throws {
    #expect(try crash(["COREDUMP_FILENAME": "/dev/null"]).core == .error)
    #expect(try crash(["COREDUMP_FILENAME": "/nowhere/core"]).core == .missing)
    #expect(try crash(["COREDUMP_FILENAME": "etc/passwd"]).core == .none)
    #expect(try crash(["CRASHKIT_REPORT": "/proc/self/exe"]).report != .present, "a link")
    #expect(try crash(["CRASHKIT_REPORT": "/etc/passwd"]).report == .present)
    #expect(try crash(["COREDUMP_FILENAME": "/etc/passwd", "COREDUMP_TRUNCATED": "1"]).core == .truncated)
  }

  @Test func theTextIsHarmless() throws {
    let hostile = "a\u{1B}[2J\u{202E}\n\r" + String(repeating: "x", count: 10_000)
    var fields = Dictionary(uniqueKeysWithValues: JournalCrash.fields.map { ($0, hostile) })
    fields["MESSAGE_ID"] = JournalCrash.messageIDs[0]
    fields["MESSAGE"] = (0..<5_000).map { "\(hostile)\($0)" }.joined(separator: "\n")
    let crash = try crash(fields)
    let texts = [JournalText.list([crash]), JournalText.details(crash)]
    for text in texts {
      #expect(!text.unicodeScalars.contains { $0.value == 0x1B || $0.value == 0x202E || $0.value == 0x0D })
      #expect(text.split(separator: "\n", omittingEmptySubsequences: false).allSatisfy { $0.count < 4_200 })
    }
    #expect(texts[0].split(separator: "\n").count == 2)
    #expect(texts[1].split(separator: "\n").count < 1_030)
  }
}
