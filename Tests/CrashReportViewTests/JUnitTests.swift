import CrashReportModel
import Foundation
import FoundationXML
import Testing

@testable import CrashReportView

@Suite struct JUnitTests {
  private let options = TextReport.Options(showsSource: false)

  /// Elements and attributes as somebody else's parser reads them.
  private final class Reading: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    var texts: [String: String] = [:]
    private var open: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      elements.append((name, attributes))
      open.append(name)
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      open.removeLast()
    }

    func parser(_ parser: XMLParser, foundCharacters text: String) { texts[open.last ?? "", default: ""] += text }

    /// The tests that each suite counts, and those that it has.
    var names: [String] { elements.map(\.name) }
  }

  private func read(_ text: String) -> Reading {
    let reading = Reading()
    let parser = XMLParser(data: Data(text.utf8))
    parser.delegate = reading
    #expect(parser.parse(), "\(String(describing: parser.parserError)): \(text)")
    return reading
  }

  private func crash() -> VerifiedReport {
    var report = CrashReport()
    report.kind = .crashReport
    report.cause = "it fell"
    report.process = CrashReport.Process(fields: JSONObject(members: [.init(key: "name", value: "api".json)]))
    return VerifiedReport(report: report)
  }

  @Test func hostileTextStaysText() throws {
    let report = VerifiedReport(report: try HostileReport.report())
    let reading = read(JUnitFile.text(of: [report, report], options: options))
    let each = ["testcase", "error", "system-out"]
    #expect(reading.names == ["testsuites", "testsuite"] + each + each)
    #expect(reading.texts["error"]?.contains("SCRIPTED") == true)
    #expect(reading.texts["system-out"]?.contains("SCRIPTED") == true)
    #expect(reading.elements[1].attributes["errors"] == "2")
    #expect(reading.elements[2].attributes["name"]?.contains("SCRIPTED") == true)
  }

  @Test func aCaptureIsNotAFailure() {
    var report = crash()
    report.report.kind = .capture
    let reading = read(JUnitFile.text(of: [report, crash()], options: options))
    #expect(reading.names == ["testsuites", "testsuite", "testcase", "testcase", "error"])
    #expect(reading.elements[1].attributes["tests"] == "2" && reading.elements[1].attributes["errors"] == "1")
  }

  // MARK: Merging

  private func merged(_ old: String) -> String? {
    JUnitMerging.merged([crash()], into: Array(old.utf8), options: options).map { String(decoding: $0, as: UTF8.self) }
  }

  @Test(arguments: [
    // As SwiftPM and Swift Testing write them.
    """
    <?xml version="1.0" encoding="UTF-8"?>

    <testsuites>
    <testsuite name="TestResults" errors="0" tests="1" failures="0" skipped="0" time="0.1">
    <testcase classname="A" name="b" time="0.1"></testcase>
    </testsuite>
    </testsuites>

    """,
    "<!-- a > b --><testsuites name='x > y' tests='3' errors=\"1\"><testsuite name=\"s\"/></testsuites>",
    "<?xml version=\"1.0\"?><testsuite name=\"s\" tests=\"1\"><testcase name=\"b\"/></testsuite>",
  ]) func aSuiteIsAdded(_ old: String) throws {
    let (before, after) = (read(old), read(try #require(merged(old))))
    let root = before.names[0] == "testsuites" ? [] : ["testsuites"]
    #expect(after.names == root + before.names + ["testsuite", "testcase", "error"])
    #expect(after.elements.suffix(2).first?.attributes["classname"] == "api")
  }

  @Test func theCountsOfTheRootAreCorrect() throws {
    let text = try #require(merged("<testsuites tests='3' failures=\"2\" errors='1'></testsuites>"))
    #expect(read(text).elements[0].attributes == ["tests": "4", "failures": "2", "errors": "2"])
  }

  /// The last one is what Swift Testing leaves after a crash.
  @Test(arguments: [
    "", " \n", "<testsuites/>", "<?xml version=\"1.0\"?>\n<testsuites></testsuites>\n",
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n",
  ])
  func anEmptyFileGetsTheSuite(_ old: String) throws {
    #expect(read(try #require(merged(old))).names == ["testsuites", "testsuite", "testcase", "error"])
  }

  /// Twice the same run, as of two test programs.
  @Test func aSecondRunAddsAnotherSuite() throws {
    let once = try #require(merged(""))
    let text = try #require(merged(once))
    #expect(read(text).names.count { $0 == "testsuite" } == 2)
  }

  @Test(arguments: [
    "<testsuites><testsuite name=\"s\">", "no XML", "<html></html>", "<testsuites", "<testsuites/><x/>", "{}",
    "<testsuite></testsuites>",
    "<testsuites tests>", "<testsuites tests=1></testsuites>", "<testsuites name=\"a<b\"></testsuites>",
    "<!-- <testsuites/>",
    "<?xml <testsuites/>",
  ]) func filesOfAnotherShapeAreNotChanged(_ old: String) { #expect(merged(old) == nil) }

  @Test func bytesThatAreNotTextStay() throws {
    let old = Array("<testsuites><testsuite name=\"".utf8) + [0xFF] + Array("\"/></testsuites>".utf8)
    let text = try #require(JUnitMerging.merged([crash()], into: old, options: options))
    #expect(text.starts(with: old.dropLast("</testsuites>".utf8.count)))
  }

  /// What a program may leave to keep crashsym busy: a head that could be read in many ways, four times as long.
  @Test(arguments: [
    "<!-- -->", "<!-- ", "<!--", "-->", "<?a?>", "<? ", " ", "<", "a", "a=", "a='1'", "a=\"", "<testsuites ",
    "<testsuites a='",
    "\r\n", "\u{301}",
  ]) func theHeadTakesLinearTime(_ part: String) {
    for start in ["", "<!--", "<testsuites ", "<testsuites a", "<testsuites tests='"] {
      let looks = [1000, 4000].map { count in
        JUnitRoot.read(ArraySlice((start + String(repeating: part, count: count)).utf8)).looks
      }
      #expect(looks[1] <= 4 * looks[0] + 100, "\(start)\(part)…: \(looks)")
      #expect(looks[1] <= 10 * (4000 * part.utf8.count + 100), "\(start)\(part)…: \(looks)")
    }
  }
}
