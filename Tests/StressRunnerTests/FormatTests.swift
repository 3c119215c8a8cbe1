import Foundation
import FoundationXML
import Testing
import Workloads

@testable import StressRunner

@Suite struct FormatTests {
  private let settings = StressSettings(seed: .max, duration: 1, threads: 3)
  private let outcomes = [
    StressRun.Outcome(Sample.record(Sample.correct, [Sample.lastState()])),
    StressRun.Outcome(Sample.record(Sample.faulty, [Sample.violation(.nan, [[Sample.frame(Sample.place)]])])),
    StressRun.Outcome(
      Sample.record(
        Sample.faulty, [Sample.violation(.dataRace, [], message: "50 % of \u{1B}[31m\nall")], end: .exited(9),
        workload: "other")),
  ]

  /// Scripts name formats.
  @Test func formatsAreOneList() {
    #expect(StressResult.renderers.map(\.name) == ["text", "json", "junit", "github"])
    #expect(StressResult.renderers.filter(\.isForPeople).map(\.name) == ["text"])
  }

  // MARK: JSON

  private struct Summary: Decodable {
    struct Planted: Decodable {
      var kind: String
      var places: [String]
      var report: String?
    }
    struct Finding: Decodable {
      var path, rule: String
      var planted: Bool
    }
    struct Row: Decodable {
      var workload, variant, end, again: String
      var passed: Bool
      var problems: [String]
      var planted: [Planted]
      var findings: [Finding]
      var footprint: Footprint
    }
    var schema, seed: String
    var passed, interrupted: Bool
    var notRun: Int
    var variants: [Row]
  }

  @Test func jsonHasEveryFact() throws {
    let folder = try RunFolder(below: NSTemporaryDirectory())
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let text = try JSONSummary(outcomes, of: 4, settings: settings, folder: folder, interrupted: true).text()
    let summary = try JSONDecoder().decode(Summary.self, from: Data(text.utf8))
    #expect(summary.schema == "diagdemo-stress/1")
    #expect(summary.seed == "18446744073709551615")
    #expect(!summary.passed && summary.interrupted && summary.notRun == 1)
    #expect(summary.variants.map(\.passed) == [true, true, false])
    let found = summary.variants[1]
    #expect(found.planted.first?.places == ["Gauge.swift:21"] && found.planted.first?.report == "/reports/nan.json")
    #expect(found.findings.map(\.planted) == [true])
    let failed = summary.variants[2]
    #expect(failed.planted.first?.report == nil && failed.findings.map(\.planted) == [false])
    #expect(failed.end == "ended with status 9" && failed.problems.count == 2)
    #expect(failed.again.contains("--workload other --variant faulty --seed 18446744073709551615"))
    #expect(failed.footprint.peakBytes == 30 << 20)
  }

  @Test func runFolderIsPrivate() throws {
    let folder = try RunFolder(below: NSTemporaryDirectory())
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    try folder.write("{}", to: "summary.json")
    func mode(_ path: String) throws -> Int? {
      try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    }
    #expect(try mode(folder.path) == 0o700)
    #expect(try mode(folder.path + "/summary.json") == 0o600)
  }

  // MARK: JUnit

  private final class Cases: NSObject, XMLParserDelegate {
    var suites: [[String: String]] = []
    var cases: [String] = []
    var failures: [String] = []

    func parser(
      _ parser: XMLParser, didStartElement element: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      switch element {
      case "testsuite": suites.append(attributes)
      case "testcase": cases.append("\(attributes["classname"] ?? "")/\(attributes["name"] ?? "")")
      case "failure": failures.append(attributes["message"] ?? "")
      default: break
      }
    }
  }

  @Test func junitIsXMLWithASuiteForEachWorkload() {
    let text = JUnitSummary.text(outcomes, settings: settings)
    let parser = XMLParser(data: Data(text.utf8))
    let cases = Cases()
    parser.delegate = cases
    #expect(parser.parse(), "\(String(describing: parser.parserError)): \(text)")
    #expect(cases.suites.map { $0["name"] } == ["sample", "other"])
    #expect(cases.suites.map { $0["failures"] } == ["0", "1"])
    #expect(cases.cases == ["sample/correct", "sample/faulty", "other/faulty"])
    #expect(cases.failures.count == 1 && cases.failures[0].contains("ended with status 9"))
  }

  // MARK: Cut short

  private let cutShort = StressRun.Outcome(Sample.record(Sample.faulty, [], end: .interrupted))

  @Test func anInterruptedRunHasNeitherPassedNorFailed() throws {
    let folder = try RunFolder(below: NSTemporaryDirectory())
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let view = TextSummary(options: .init())
    let all = outcomes + [cutShort]
    let conclusion = view.conclusion(all, of: 6, settings: settings, folder: folder, interrupted: true)
    #expect(conclusion.hasPrefix("interrupted: 2 of 6 variants passed, 1 failed, 1 cut short, 2 not run\n"))
    let text = view.text(of: cutShort, settings: settings)
    #expect(text.hasPrefix("       sample/faulty  was interrupted") && !text.contains("!"))
    let github = GitHubSummary.text([cutShort], of: 1, settings: settings)
    #expect(!github.contains("::error") && github.contains("0 of 1 variants passed"))
    let json = try JSONSummary([cutShort], of: 1, settings: settings, folder: folder, interrupted: true).text()
    #expect(json.contains("\"passed\" : false") && json.contains("it was interrupted"))
    let junit = JUnitSummary.text([cutShort], settings: settings)
    #expect(junit.contains("failures=\"0\" errors=\"0\" skipped=\"1\"") && junit.contains("<skipped "))
    #expect(XMLParser(data: Data(junit.utf8)).parse())
  }

  // MARK: GitHub

  @Test func githubHasALineForEachProblem() {
    let lines = GitHubSummary.text(outcomes, of: 3, settings: settings).split(separator: "\n")
    let errors = lines.filter { $0.hasPrefix("::error ") }
    #expect(errors.count == 2)
    #expect(errors.allSatisfy { $0.hasPrefix("::error file=Gauge.swift,line=21,title=other/faulty::") })
    #expect(errors.allSatisfy { $0.contains("%0Aagain: diagdemo stress --workload other") })
    #expect(lines.last == "::notice title=diagdemo stress::2 of 3 variants passed, seed 18446744073709551615")
  }

  @Test func unexpectedReportStandsAtItsLine() {
    let wrong = Sample.violation(.lockMisuse, [[Sample.frame(Sample.place)]])
    let outcome = StressRun.Outcome(Sample.record(Sample.correct, [wrong, Sample.lastState()]))
    let text = GitHubSummary.text([outcome], of: 1, settings: settings)
    #expect(text.contains("::error file=/src/app/Gauge.swift,line=21,title=lockMisuse/code::it is wrong"))
  }

  // MARK: Text

  @Test func textSaysWhatFailedAndHowToRunItAgain() {
    let text = TextSummary(options: .init()).text(of: outcomes[2], settings: settings)
    #expect(text.hasPrefix("FAILED other/faulty  ended with status 9"))
    #expect(text.contains("! no nan was reported at Gauge.swift:21"))
    #expect(text.contains("again: diagdemo stress --workload other --variant faulty --seed"))
    #expect(text.contains("not planted, and reported as well:"))
    #expect(!text.contains("\u{1B}"))
  }

  /// A folder's name makes no lines of its own, which CI systems would obey, and no terminal does what it says.
  @Test func namesOfFoldersAreHarmlessInText() throws {
    let parent = FileManager.default.temporaryDirectory.appending(path: "\(UUID())\n::error::\u{1B}[31m").path
    defer { try? FileManager.default.removeItem(atPath: parent) }
    let folder = try RunFolder(below: parent)
    let text = TextSummary(options: .init())
    var record = outcomes[2].record
    record.folder = VariantFolder(path: folder.path)
    record.end = .notStarted("\(parent) is gone")
    record.reports = record.reports.map { FoundReport(path: "\(folder.path)/report", report: $0.report) }
    let lines = [
      text.text(of: StressRun.Outcome(record), settings: settings),
      text.conclusion(outcomes, of: 3, settings: settings, folder: folder, interrupted: false),
    ].joined().split(separator: "\n")
    let named = lines.filter { $0.contains("::error::") }
    #expect(named.count > 1 && named.allSatisfy { $0.contains("\\n::error::\\u{1B}[31m") })
    #expect(lines.contains { $0.hasPrefix("reports: ") && $0.contains("::error::") })
    #expect(!lines.contains { $0.contains("\u{1B}") })
  }

  @Test func footprintsAreATable() {
    let lines = TextSummary(options: .init()).footprints(outcomes).split(separator: "\n")
    #expect(lines.count == 4)
    #expect(lines[0].hasSuffix("CPU time  peak memory  disk written   launch"))
    #expect(lines[1].contains("0.5 s     30.0 MiB         4 KiB  50.0 ms"))
    #expect(Set(lines.map(\.count)).count == 1)
  }
}
