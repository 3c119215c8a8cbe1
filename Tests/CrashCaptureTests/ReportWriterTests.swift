import CrashReportModel
import Foundation
import Testing

/// The pieces of the writer: numbers, times, strings, and JSON that is given up in the middle.
@Suite struct ReportWriterTests {
  private func probe(_ mode: String, _ input: Data = Data()) throws -> Data {
    let process = Process()
    let own = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
    process.executableURL = own.deletingLastPathComponent().appending(path: "writer-probe")
    process.arguments = [mode]
    let file = FileManager.default.temporaryDirectory.appending(path: "writer-probe-\(UUID().uuidString)")
    try input.write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    process.standardInput = try FileHandle(forReadingFrom: file)
    let output = Pipe()
    process.standardOutput = output
    try process.run()
    let result = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    #expect(process.terminationStatus == 0)
    return result
  }

  private func lines(_ mode: String, _ words: [UInt64]) throws -> [Substring] {
    let text = String(decoding: try probe(mode, words.withUnsafeBytes { Data($0) }), as: UTF8.self)
    return text.split(separator: "\n")
  }

  @Test func doublesReadBackAsTheyWere() throws {
    var generator = SystemRandomNumberGenerator()
    var values: [Double] = [
      0, -0.0, 1, -1, 0.1, 0.4, 1.5, 100, 1e16, 1e17, 123_456_789.125, 1e-6, 1e-7, 1 / 3, .pi, 1e22, 1e23, 1e100,
      .leastNonzeroMagnitude,
      .leastNormalMagnitude, .greatestFiniteMagnitude, .ulpOfOne,
    ]
    for _ in 0..<20_000 {
      let value = Double(bitPattern: generator.next())
      if value.isFinite { values.append(value) }
      values.append(Double.random(in: -1e6...1e6))
      values.append(Double(Int.random(in: 0...1_000_000)) / 100)
    }
    let texts = try lines("doubles", values.map(\.bitPattern))
    #expect(texts.count == values.count)
    var wrong: [String] = []
    for (value, text) in zip(values, texts) where Double(text) != value { wrong.append("\(value) as \(text)") }
    #expect(wrong.isEmpty, "\(wrong.count): \(wrong.prefix(5))")
  }

  @Test func shortDoublesStayShort() throws {
    let values = [0.4, 0.1, 12.25, 1e6, 99.99, 1e-5]
    #expect(try lines("doubles", values.map(\.bitPattern)) == ["0.4", "0.1", "12.25", "1000000", "99.99", "0.00001"])
  }

  @Test func numbersThatAreNotFinite() throws {
    let values: [Double] = [.nan, .infinity, -.infinity]
    #expect(try lines("doubles", values.map(\.bitPattern)) == ["nan", "inf", "-inf"])
  }

  @Test func heldPartsAreWholeOrAbsent() throws {
    let lines = String(decoding: try probe("held"), as: UTF8.self).split(separator: "\n")
    #expect(lines == [#"{"before":1,"after":3}"#, #"{"before":1,"held":2,"too":"held","after":3}"#])
  }

  @Test func times() throws {
    var seconds: [Int64] = [0, 951_782_399, 951_782_400, 1_709_164_800, 4_102_444_800, 1_795_250_676]
    for _ in 0..<2_000 { seconds.append(.random(in: 0...8_000_000_000)) }
    let texts = try lines("times", seconds.map { UInt64($0) * 1_000_000_000 + 123_456_789 })
    let format = ISO8601DateFormatter()
    for (second, text) in zip(seconds, texts) {
      let expected = format.string(from: Date(timeIntervalSince1970: Double(second))).dropLast() + ".123456Z"
      #expect(text == expected)
    }
  }

  private static let strings = [
    "plain": "plain", "empty": "", "control characters": "quotes \" and \\ and / and \u{7f}\u{0}\u{1f}\n\t\r",
    "beyond ASCII": "Grüße, 世界, 🧵", "as long as may be": String(repeating: "a", count: 4096),
  ]

  @Test(arguments: strings.keys.sorted()) func wellFormedStrings(_ name: String) throws {
    let text = try #require(Self.strings[name])
    let object = try JSONSerialization.jsonObject(with: try probe("string", Data(text.utf8))) as? [String: String]
    #expect(object == ["text": text])
  }

  @Test func longStringsAreCutAtACharacter() throws {
    let text = String(repeating: "🧵", count: 2000)
    let object = try JSONSerialization.jsonObject(with: try probe("string", Data(text.utf8))) as? [String: String]
    #expect(object?["text"] == String(repeating: "🧵", count: 1024))
  }

  @Test(
    arguments: [
      [0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0xe2, 0x82], [0x80, 0x62],
    ] as [[UInt8]])
  func bytesThatAreNotUTF8(_ bytes: [UInt8]) throws {
    let object = try JSONSerialization.jsonObject(with: try probe("string", Data(bytes))) as? [String: String]
    #expect(object?["text"]?.contains("\u{FFFD}") == true)
    #expect(object?["textBytes"] == bytes.map { String(format: "%02x", $0) }.joined())
  }

  @Test func hazardsAreEscapedAndNothingIsLost() throws {
    let hazards = "\u{9B}\u{AD}\u{200B}\u{202E}\u{2029}\u{FEFF}\u{E0041}"
    let json = try probe("string", Data("\(hazards)##[error]##vso[x]".utf8))
    let text = String(decoding: json, as: UTF8.self)
    #expect(text.unicodeScalars.allSatisfy { !$0.isHazard })
    #expect(!text.contains("##[") && !text.contains("##vso["))
    #expect(
      try JSONSerialization.jsonObject(with: json) as? [String: String] == ["text": "\(hazards)##[error]##vso[x]"])
  }

  /// The lists of C and of Swift are one.
  @Test func bothLanguagesKnowTheSameHazards() throws {
    let listed = String(decoding: try probe("hazards"), as: UTF8.self).split(separator: "\n").compactMap { UInt32($0) }
    let inSwift = (UInt32(0)...0x10FFFF).filter { number in Unicode.Scalar(number).map(\.isHazard) ?? true }
    #expect(listed == inSwift)
  }

  @Test(arguments: [
    ("a\u{1B}[31m\nb\tc\r\u{7F}", "a?[31m b c ?"), ("é\u{9B}\u{202E}🧵\u{200D}", "é??🧵\u{200D}"),
    ("##[error]x ##vso[y] ###[ #[ ##a1[", "##?error]x ##vso?y] ###? #[ ##a1["), ("std::vector", "std::vector"),
  ])
  func linesAreHarmless(_ text: String, _ expected: String) throws {
    #expect(String(decoding: try probe("harmless", Data(text.utf8)), as: UTF8.self) == expected)
  }

  @Test func bytesThatAreNotUTF8AreMasked() throws {
    let bytes: [UInt8] = [0x61, 0xFF, 0xC0, 0x80, 0xED, 0xA0, 0x80, 0xE2, 0x82]
    #expect(String(decoding: try probe("harmless", Data(bytes)), as: UTF8.self) == "a????????")
  }

  @Test func aReportThatIsGivenUpIsStillJSON() throws {
    let texts = String(decoding: try probe("unfinished"), as: UTF8.self).split(separator: "\n")
    #expect(texts.count == 12)
    for text in texts {
      #expect(throws: Never.self) { try JSONSerialization.jsonObject(with: Data(text.utf8)) }
      #expect(!text.contains("half"))
    }
  }
}
