import Foundation
import Testing

/// CrashKit as a service of a group, in programs of their own that follow each other in one folder of reports.
@Suite struct ServiceTests {
  @Test func aCrashIsCountedAndHandedOverOnce() async throws {
    let folder = try ReportFolder()
    #expect(try await folder.run("isNone", "crash").isKilled)
    let next = try await folder.run("succeeds", "handed over crashReport")
    #expect(next.reports == ["crashkit.crashes crashReport", "handed over crashReport"])
    #expect(try next.place(of: "crashkit.crashes crashReport") < next.place(of: "detectors start"))
    #expect(folder.kinds().isEmpty && folder.kinds(in: "handled") == ["crashReport"])
    // A violation is counted while it runs, and not at the next start.
    let third = try await folder.run("succeeds", "violate", "crashkit.violations mainQueueViolation")
    #expect(third.reports == ["crashkit.violations mainQueueViolation"])
    let fourth = try await folder.run("succeeds", "handed over mainQueueViolation")
    #expect(fourth.reports == ["handed over mainQueueViolation"])
  }

  @Test func aKilledProcessIsCountedOnce() async throws {
    let folder = try ReportFolder()
    #expect(try await folder.run("isNone", "kill").isKilled)
    let next = try await folder.run("fails", "handed over uncleanExit")
    #expect(next.reports == ["crashkit.unclean_exits uncleanExit", "handed over uncleanExit"])
    #expect(folder.kinds() == ["uncleanExit"])
    let third = try await folder.run("removes", "handed over uncleanExit")
    #expect(third.reports == ["handed over uncleanExit"])
    #expect(folder.kinds().isEmpty && folder.kinds(in: "handled").isEmpty)
  }

  @Test(arguments: [["handed over crashReport"], ["handed over crashReport", "throw"]])
  func aHandOverThatHangsIsLeftBehind(_ steps: [String]) async throws {
    let folder = try ReportFolder()
    #expect(try await folder.run("isNone", "crash").isKilled)
    let next = try await folder.run("hangs", steps[0], steps.last!)
    #expect(next.reports == ["crashkit.crashes crashReport", "handed over crashReport"])
    #expect(next.lines.contains("group failed") == steps.contains("throw"))
    #expect(next.lines.contains("group ended") && folder.kinds() == ["crashReport"])
    let third = try await folder.run("succeeds", "handed over crashReport")
    #expect(third.reports == ["handed over crashReport"] && folder.kinds(in: "handled") == ["crashReport"])
  }

  @Test(arguments: [["handed over crashReport"], ["handed over crashReport", "throw"]])
  func aShutdownWaitsForAHandOver(_ steps: [String]) async throws {
    let folder = try ReportFolder()
    #expect(try await folder.run("isNone", "crash").isKilled)
    let next = try await folder.run("endsWhenCancelled", steps[0], steps.last!)
    #expect(next.lines.contains("group failed") == steps.contains("throw"))
    #expect(try next.place(of: "hand-over ended") < next.place(of: "group ended"))
    #expect(folder.kinds(in: "handled") == ["crashReport"])
  }

  @Test func theProgramsOwnClosureComesFirst() async throws {
    let folder = try ReportFolder()
    #expect(try await folder.run("isNone", "crash").isKilled)
    let next = try await folder.run("succeeds", "violate", "previous crash", "handed over crashReport", "hang")
    // What this run makes is for the next one.
    #expect(next.reports.filter { $0.hasPrefix("handed over ") } == ["handed over crashReport"])
    #expect(try next.place(of: "previous crash") < next.place(of: "handed over crashReport"))
  }

  @Test func hangsDuringTheShutdownOfOthersAreCounted() async throws {
    let run = try await ReportFolder().run("isNone", "detectors start", "hang")
    let counted = try #require(run.lines.lastIndex(of: "crashkit.hangs hang"), "\(run.lines)")
    #expect(try run.place(of: "other service stops") < counted && counted < run.place(of: "group ended"))
    #expect(run.lines.contains("detectors stopped"))
  }

  @Test func onlyOneOfTwoProcessesCountsAReport() async throws {
    let folder = try ReportFolder()
    for pid in 1...20 { try folder.add("\(Self.crash(of: pid)).json") }
    async let one = folder.run("isNone")
    async let other = folder.run("isNone")
    let counted = try await one.reports + other.reports
    #expect(counted.count == 20 && Set(counted) == ["crashkit.crashes crashReport"])
  }

  @Test func reportsHandledBeforeTheServiceDoNotCount() async throws {
    let folder = try ReportFolder()
    try folder.add("handled/\(Self.crash(of: 1)).json")
    #expect(try await folder.run("isNone").reports.isEmpty)
    try folder.add("handled/\(Self.crash(of: 2)).json")
    #expect(try await folder.run("isNone").reports == ["crashkit.crashes crashReport"])
    // The note that a report was counted goes when the report has gone.
    try folder.remove("handled/\(Self.crash(of: 1)).json")
    #expect(try await folder.run("isNone").reports.isEmpty)
    #expect(folder.names(in: "counted") == [Self.crash(of: 2)])
  }

  /// The name of a report, without its ending, that is too young to be removed.
  private static func crash(of pid: Int) -> String {
    let time = now.formatted(Date.ISO8601FormatStyle(dateSeparator: .omitted, timeSeparator: .omitted))
    return "\(time.dropLast()).000Z-\(pid)-crashReport"
  }

  private static let now = Date()

  @Test func eachKindOfReportHasItsCounter() async throws {
    struct Schema: Decodable {
      struct Properties: Decodable { var kind: Kind }
      struct Kind: Decodable { var `enum`: [String] }
      var properties: Properties
    }
    let schema = try JSONDecoder().decode(Schema.self, from: Data(contentsOf: Page.file("Docs/report.schema.json")))
    let made = try await ReportFolder().run("isNone").made.map { String($0.split(separator: " ")[2]) }
    // The program made these itself.
    #expect(made.sorted() == schema.properties.kind.enum.filter { $0 != "capture" && $0 != "error" }.sorted())
    #expect(made.allSatisfy { kind in Page.counters.contains { $0.contains("`\(kind)`") } }, "\(Page.counters)")
  }

  @Test func thePageShowsTheExample() throws {
    let file = Page.file("Tests/OptionalProducts/Tests/ServiceExample/Main.swift")
    let example = try String(contentsOf: file, encoding: .utf8)
    #expect(Page.text.contains("```swift\n\(example)```"))
  }
}

/// The page of the service.
private enum Page {
  static func file(_ path: String) -> URL { URL(filePath: "\(#filePath)/../../../../../\(path)").standardized }

  static var text: String { (try? String(contentsOf: file("Docs/service.md"), encoding: .utf8)) ?? "" }

  /// The rows of its counters.
  static var counters: [Substring] { text.split(separator: "\n").filter { $0.hasPrefix("| `crashkit.") } }
}
