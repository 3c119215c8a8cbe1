import CrashReportModel
import Foundation
import FoundationXML
import TestEnvironment
import Testing

@testable import CrashReportView

/// Pages are XML as well as HTML, so that Foundation's parser can read them. `Scripts/checks/pages.py` reads them as
/// browsers do.
@Suite struct HTMLTests {
  private final class Reading: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    var style = ""
    var text = ""
    private var isInStyle = false

    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      elements.append((name, attributes))
      isInStyle = name == "style"
    }

    func parser(_ parser: XMLParser, didEndElement name: String, namespaceURI: String?, qualifiedName: String?) {
      isInStyle = false
    }

    func parser(_ parser: XMLParser, foundCharacters characters: String) {
      if isInStyle { style += characters } else { text += characters }
    }

    func values(of attribute: String) -> [String] { elements.compactMap { $0.attributes[attribute] } }
    func count(of name: String) -> Int { elements.count { $0.name == name } }
  }

  private func read(_ reports: [CrashReport]) -> (page: String, reading: Reading) {
    let page = HTMLReport.text(of: reports.map { VerifiedReport(report: $0) }, options: .init(showsSource: false))
    let reading = Reading()
    let parser = XMLParser(data: Data(page.utf8))
    parser.delegate = reading
    #expect(parser.parse(), "\(String(describing: parser.parserError)): \(page.prefix(20_000))")
    return (page, reading)
  }

  private static let known: Set = [
    "html", "head", "meta", "title", "style", "body", "main", "header", "h1", "h2", "h3", "ol", "ul", "li", "a",
    "article",
    "div", "section", "p", "pre", "code", "span", "strong", "mark", "dl", "dt", "dd", "details", "summary", "table",
    "tr",
    "th", "td", "svg", "g", "rect", "path", "polygon", "text",
  ]

  private func expectSafe(_ reading: Reading) {
    #expect(Set(reading.elements.map(\.name)).subtracting(Self.known).isEmpty)
    for (name, attributes) in reading.elements {
      for (key, value) in attributes {
        #expect(!key.hasPrefix("on") && !["style", "src", "action"].contains(key), "\(name) \(key)")
        // Hostile text stands in titles and labels alone.
        #expect(!value.contains("SCRIPTED") || key == "aria-label", "\(name) \(key)=\(value)")
      }
    }
    let ids = reading.values(of: "id")
    #expect(Set(ids).count == ids.count, "ids that are not unique: \(ids)")
    for link in reading.values(of: "href") {
      #expect(link.hasPrefix("#") && ids.contains(String(link.dropFirst())), "\(link) leads nowhere")
    }
  }

  @Test func hostileTextStaysText() throws {
    let report = try HostileReport.report()
    let (_, reading) = read([report, report])
    expectSafe(reading)
    #expect(reading.text.contains("<script>SCRIPTED()</script>"))
    #expect(reading.count(of: "article") == 2 && reading.count(of: "h2") == 2)
    #expect(reading.text.unicodeScalars.allSatisfy { !$0.isHazard || $0 == "\n" })
  }

  @Test func allPartsAreThere() throws {
    let (_, reading) = read([try HostileReport.report()])
    #expect(reading.values(of: "class").filter { $0 == "circle" || $0 == "flame" } == ["circle", "circle", "flame"])
    for title in [
      "Evidence", "Deadlock", "Broken rule", "Hang", "Crashed thread", "What happened before",
      "Other threads",
      "Swift tasks", "Registers", "Attributes", "Metrics", "Process and machine", "Missing symbols", "Images",
      "About this report",
    ] {
      #expect(reading.text.contains(title), "no \(title)")
    }
  }

  /// The page names its style sheet by a hash, and allows itself nothing else.
  @Test func thePolicyAllowsOnlyTheStyleSheet() throws {
    let (_, reading) = read([])
    let digest = Process()
    digest.executableURL = URL(filePath: "/usr/bin/sha256sum")
    let (input, output) = (Pipe(), Pipe())
    digest.standardInput = input
    digest.standardOutput = output
    try digest.run()
    try input.fileHandleForWriting.write(contentsOf: Data(reading.style.utf8))
    try input.fileHandleForWriting.close()
    let hex = String(decoding: try #require(try output.fileHandleForReading.readToEnd()), as: UTF8.self).prefix(64)
    digest.waitUntilExit()
    let bytes = stride(from: 0, to: 64, by: 2).compactMap { start in
      UInt8(hex.dropFirst(start).prefix(2), radix: 16)
    }
    let hash = Data(bytes).base64EncodedString()
    let policy = reading.elements.first { $0.attributes["http-equiv"] != nil }?.attributes["content"]
    #expect(policy == "default-src 'none'; style-src 'sha256-\(hash)'; base-uri 'none'; form-action 'none'")
  }

  // MARK: Threads

  private func manyThreads(_ count: Int, hostile: Bool = false) throws -> CrashReport {
    var report = try hostile ? HostileReport.report() : HostileReport.harmless()
    let thread = try #require(report.threads?.first)
    report.threads = (0..<count).map { index in
      var thread = thread
      thread.id = 5000 + index
      thread.crashed = index == 0
      thread.stackEnd = "end \(index)"
      if index > 0 {
        thread.waitingFor = CrashReport.HeldLock(
          fields: JSONObject(members: [
            .init(key: "type", value: "mutex".json), .init(key: "owner", value: (4999 + index).json),
          ]))
      }
      return thread
    }
    return report
  }

  private static let isFull = tests_are_full()

  @Test(arguments: isFull ? [false, true] : [true]) func aThousandThreadsTakeLessThanAMegabyte(_ isHostile: Bool) throws
  {
    let (page, reading) = read([try manyThreads(1000, hostile: isHostile)])
    expectSafe(reading)
    #expect((500_000..<1_000_000).contains(page.utf8.count), "\(page.utf8.count)")
    // Each has a heading to which links lead, whether there is room for its stack or not.
    #expect(reading.values(of: "id").count == 1001)
    #expect(reading.text.contains("crashsym shows its stack"))
  }

  @Test func threadsAreLinkedByLocks() throws {
    let (_, reading) = read([try manyThreads(3)])
    expectSafe(reading)
    #expect(reading.values(of: "href") == ["#r0t0", "#r0t1"])
  }

  @Test func idsAreUniqueThoughThreadsAreNot() throws {
    var report = try manyThreads(4)
    for index in 0..<4 { report.threads?[index].id = 7 }
    expectSafe(read([report]).reading)
  }

  // MARK: Registers

  @Test func theRegisterOfTheFaultIsMarked() throws {
    var report = try HostileReport.harmless()
    func marks() -> [String] {
      let page = read([report]).page
      return page.matches(of: /<th scope="row"><mark>(\w+)<\/mark>/).map { String($0.1) }
    }
    report.faultAddress = Address("0x00007f2000001018")
    #expect(marks() == ["rdi"])
    report.faultAddress = Address("0x0000000000000000")
    #expect(marks() == ["rax"])
    report.faultAddress = Address("0x0000000000020000")
    #expect(marks().isEmpty)
    report.faultAddress = Address("0x0000000000000018")
    report.signal?.name = "SIGILL"
    #expect(marks().isEmpty)
  }
}
