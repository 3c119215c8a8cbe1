import CrashReportModel
import Foundation
import Testing

@Suite struct CauseCodeTests {
  private typealias Cause = CrashReport.CauseCode

  @Test func everyRowIsFoundByItsCodeAndByItsSentence() {
    #expect(Cause.all.count > 70)
    #expect(Set(Cause.all.map(\.code)).count == Cause.all.count)
    for cause in Cause.all {
      #expect(Cause(code: cause.code) == cause)
      guard !cause.words.isEmpty else { continue }
      let gaps = cause.words.count { $0 == "#" }
      let sentence = cause.sentence(Array(repeating: 12, count: gaps))
      #expect(!sentence.contains("#"))
      #expect(Cause(sentence: sentence) == cause, "\(sentence)")
      // A sentence that ends with a gap never goes on.
      guard !cause.words.hasSuffix("#") else { continue }
      #expect(Cause(sentence: sentence + " (read at 0x0) in /srv/app") == cause, "\(sentence)")
    }
  }

  @Test func gapsAreFilledInOrder() {
    #expect(Cause.sentByProcess.sentence([9, 1000]) == "sent by process 9 (user 1000)")
    #expect(Cause(sentence: "sent by process 9 (user 1000)") == .sentByProcess)
    #expect(Cause(sentence: "sent by process nine and ten (user 1000)") == nil)
  }

  @Test func otherSentencesHaveNoCode() {
    let others = ["", "arithmetic overflow", "null pointer", "stack overflowing", "access to unmapped memory cards"]
    for sentence in others {
      #expect(Cause(sentence: sentence) == nil, "\(sentence)")
    }
  }

  @Test func aReportsCodeComesBeforeItsSentence() throws {
    var report = try Fixture.report(#"{"cause":"stack overflow (write at 0x10)"}"#)
    #expect(report.causeCode == nil)
    #expect(report.knownCause == .stackOverflow)
    report.setCause(.nullDereference, "stack overflow")
    #expect(report.knownCause == .nullDereference)
    #expect(report.fields["causeCode"] == .string("nullDereference"))
    // A code of a later version reads as absent, and stays.
    report.fields["causeCode"] = .string("cosmicRay")
    #expect(report.causeCode == nil)
    #expect(report.knownCause == .stackOverflow)
    #expect(report.json.text.contains("cosmicRay"))
  }

  // MARK: - One table

  private static let root = Fixture.tests.deletingLastPathComponent()

  @Test func schemaAndDocsHaveTheSameCodes() throws {
    let codes = Cause.all.map(\.code)
    let file = Self.root.appending(path: "Docs/report.schema.json")
    let schema = try JSONParser.parse(Array(Data(contentsOf: file))).object
    guard case .object(let properties)? = schema["properties"], case .object(let entry)? = properties["causeCode"],
      case .array(let listed)? = entry["enum"]
    else { throw CocoaError(.coderInvalidValue) }
    #expect(listed == codes.map { .string($0) })
    let format = try String(contentsOf: Self.root.appending(path: "Docs/report-format.md"), encoding: .utf8)
    let section = try #require(format.split(separator: "### `causeCode`\n").last?.split(separator: "\n### ").first)
    let rows = section.matches(of: /(?m)^\| `([A-Za-z]+)` \| (.*) \|$/)
    #expect(rows.map { String($0.1) } == codes)
    for (row, cause) in zip(rows, Cause.all) where !cause.words.isEmpty { #expect(row.2 == cause.words) }
  }

  /// A sentence in a second place would soon be another one.
  @Test func noOtherSourceHoldsTheWords() throws {
    let sources = Self.root.appending(path: "Sources")
    let files = try FileManager.default.subpathsOfDirectory(atPath: sources.path).filter { path in
      [".c", ".h", ".swift"].contains { path.hasSuffix($0) } && !path.hasPrefix("Demo/CDiagdemoCrashes/")
    }
    #expect(files.count > 400)
    let sentences = Cause.all.flatMap { $0.words.split(separator: "#") }.filter { $0.count > 14 }
    let quoted = sentences.map { Data("\"\($0)".utf8) }
    for file in files {
      let text = try Data(contentsOf: sources.appending(path: file))
      for sentence in quoted where text.range(of: sentence) != nil {
        Issue.record("\(file) holds \(String(decoding: sentence, as: UTF8.self))")
      }
    }
  }
}
