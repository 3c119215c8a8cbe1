import CrashReportModel
import CrashReportReading
import Foundation
import ReportGrouping
import Testing

@testable import CrashReportView

@Suite struct RendererTests {
  private let context = ReportContext(options: .init(), version: "1.2.3")

  private static func report() throws -> VerifiedReport {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Fixtures/full.json")
    let bytes = [UInt8](try Data(contentsOf: file))
    return VerifiedReport(report: try #require(try ReportReader.read(bytes).first))
  }

  /// Scripts name formats, and expect text without a name.
  @Test func theNamesOfFormatsDoNotChange() {
    let names = VerifiedReport.renderers.map(\.name)
    #expect(
      names.starts(with: [
        "text", "json", "collapsed", "speedscope", "firefox", "dot", "sarif", "github", "markdown", "html", "junit",
        "pprof",
      ]))
    #expect(Set(names).count == names.count)
    #expect(GroupedReports.renderers.map(\.name) == ["text", "json"])
    #expect(Renderer<VerifiedReport>(named: "sarif")?.name == "sarif")
    #expect(Renderer<VerifiedReport>(named: "Text") == nil)
    #expect(VerifiedReport.renderers.filter(\.isForPeople).map(\.name) == ["text"])
  }

  @Test(arguments: VerifiedReport.renderers.map(\.name)) func everyFormatEndsItsLine(_ name: String) throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: name))
    if renderer.isBinary { return #expect(renderer.bytes(of: try Self.report(), context)?.isEmpty == false) }
    guard let text = renderer.text(of: try Self.report(), context) else {
      #expect(renderer.lack != "has nothing to show", "\(name) does not say what is missing")
      return
    }
    #expect(text.hasSuffix("\n") && text.count > 1)
  }

  @Test func onlyALockOrderIsDrawnAsAGraph() throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: "dot"))
    #expect(renderer.text(of: try Self.report(), context) == nil)
  }

  /// To Swift, a mark of a format and a combining mark behind it are one character. Readers of the format know bytes.
  @Test(arguments: ["markdown", "dot", "sarif", "github", "collapsed", "junit", "html", "json"])
  func combiningMarksHideNoMark(_ name: String) throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: name))
    let joiners: [Unicode.Scalar] = ["\u{600}", "\u{301}"]
    func shown(_ text: String) throws -> String {
      var report = try HostileReport.report(of: text)
      if name == "dot" { report.fields["kind"] = "lockOrderInversion".json }
      return try #require(renderer.text(of: VerifiedReport(report: report), context))
    }
    for mark in ["`", "\"", "[", "]", "(", "{", "}", "\\", ",", ":", ";", "%", "<", ">", "&", "'", "|", "#"] {
      // Short texts: longer ones are cut.
      for (hiding, text) in [("a\u{600}\(mark)\u{301}a", "a\(mark)a"), ("a\u{600}\(mark)", "a\(mark)")] {
        let bare = try shown(hiding).unicodeScalars.filter { !joiners.contains($0) }
        let encoded = String(String.UnicodeScalarView(bare)).replacing("%D8%80", with: "").replacing("%CC%81", with: "")
        // Their fingerprints differ.
        let lines = { (text: String) in text.replacing(/[0-9]-[0-9a-f]{16}/, with: "").split(separator: "\n") }
        let (found, wanted) = (lines(encoded), lines(try shown(text)))
        #expect(found.count == wanted.count, "\(mark)")
        for (line, right) in zip(found, wanted) where line != right { Issue.record("\(mark): \(line) for \(right)") }
      }
    }
  }

  /// One file for all reports, an empty one for none.
  @Test func sarifIsOneFile() throws {
    let renderer = try #require(Renderer<VerifiedReport>(named: "sarif"))
    guard case .all(let text) = renderer.form else {
      Issue.record("sarif makes a text for each report")
      return
    }
    let report = try Self.report()
    #expect(text([report, report], context).split(separator: "\n").count == 1)
    #expect(text([], context).contains("\"results\":[]"))
  }
}
