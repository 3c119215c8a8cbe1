import Foundation
import Testing

extension EndToEnd {
  /// Where the error was thrown of which a program died.
  @Suite struct ThrownErrorTests {
    private static let source = "thrown.swift"

    /// The frames of a throw, without those that the compiler makes for typed throws.
    private static func functions(_ thrown: ProducedReport.ThrownError) -> [String] {
      thrown.frames.compactMap(\.description).filter { !$0.hasPrefix("swift_willThrow") }
    }

    private static func line(of mark: String) throws -> Int {
      let text = try String(contentsOf: Compiler.programs.appending(path: source), encoding: .utf8)
      let index = text.split(separator: "\n", omittingEmptySubsequences: false).firstIndex { $0.contains(mark) }
      return try #require(index) + 1
    }

    /// The program with its report, and the text of that.
    private struct Death {
      let victim: Victim
      let report: ProducedReport
      let text: String
      private let folder: TemporaryFolder

      init(_ how: String, build: String, options: String = "thrown=yes") throws {
        folder = try TemporaryFolder()
        let flags = build.split(separator: " ").map(String.init)
        let program = try Compiler.compile(source, into: folder, options: flags)
        victim = try Victim(
          [Products.crashsym, "run", "--", program, how], environment: ["CRASHKIT_OPTIONS": options])
        _ = try victim.report()
        report = try victim.symbolicatedReport()
        text = try ProgramRun.run([Products.crashsym, try victim.reportPath()]).standardOutput
      }

      var cause: ProducedReport.ThrownError {
        get throws {
          let causes = (report.thrown ?? []).filter { $0.isCause == true }
          try #require(causes.count == 1, "\(victim.run.standardError)")
          return causes[0]
        }
      }
    }

    /// Without optimisation, and as SwiftPM builds for release.
    private static let builds = TestSet.all(
      ["-Onone", "-O -Xcc -fno-omit-frame-pointer"], quick: ["-O -Xcc -fno-omit-frame-pointer"])

    @Test(arguments: builds, ["try", "top"]) func originIsShownWithItsCallers(_ build: String, _ how: String) throws {
      let death = try Death(how, build: build)
      let cause = try death.cause
      #expect(cause.type == "main.Missing" || cause.type == "thrown.Missing")
      let functions = Self.functions(cause)
      #expect(functions.count > 4)
      for (function, name) in zip(functions, ["open(_:)", "read(_:)", "prices(_:)", "catalogue(_:)", "Main.main()"]) {
        #expect(function.contains(name), "\(functions)")
      }
      #expect(cause.frames.first?.sourceLocation?.line == (try Self.line(of: "An error is thrown here.")))
      #expect(cause.thread == death.report.threads.first?.id)
      let line = try Self.line(of: "An error is thrown here.")
      #expect(death.text.contains(try Regex("The error was thrown in open\\(_:\\), \\S*thrown.swift:\(line)")))
      let crash = try Compiler.crashLine(of: Self.source)
      if how == "try" { #expect(death.text.contains("thrown.swift:\(crash)")) }
      #expect(death.text.contains(try Regex("The error, \\w+.Missing, was thrown by thread [0-9]+ \"thrown\"")))
    }

    /// Without frame pointers the place of the throw is right all the same.
    @Test func placeIsKnownWithoutFramePointers() throws {
      let death = try Death("try", build: "-O")
      #expect(try Self.functions(death.cause).first?.contains("open(_:)") == true)
    }

    @Test(arguments: builds) func errorThrownAgainHasItsFirstPlace(_ build: String) throws {
      let death = try Death("again", build: build)
      let cause = try death.cause
      #expect(Self.functions(cause).first?.contains("open(_:)") == true)
      #expect(death.report.thrown?.count == 2)
      #expect(death.text.contains("Other errors that were thrown"))
    }

    @Test(arguments: builds) func typedThrowIsKnownByItsValue(_ build: String) throws {
      let death = try Death("typed", build: build)
      let cause = try death.cause
      #expect(cause.type?.hasSuffix(".Refusal") == true)
      #expect(Self.functions(cause).first?.contains("ask(_:)") == true)
      #expect(cause.causeKnownBy == nil)
      // The fourth throw: the third had the same value, in a loop of the same function.
      #expect(death.report.thrown?.count == 4 && death.report.thrown?.last?.isCause == true)
    }

    @Test(arguments: ["html", "markdown"]) func documentsShowTheOrigin(_ format: String) throws {
      let death = try Death("try", build: "-Onone")
      let run = try ProgramRun.run([Products.crashsym, "--format", format, try death.victim.reportPath()])
      #expect(run.standardOutput.contains("Where the error was thrown"))
      #expect(run.standardOutput.contains("catalogue(_:)"))
    }

    /// A copy for a ticket keeps the place.
    @Test func scrubbedCopyKeepsTheOrigin() throws {
      let death = try Death("try", build: "-Onone")
      let run = try ProgramRun.run([Products.crashsym, "--scrub", "--format", "json", try death.victim.reportPath()])
      let report = try ProducedReport(text: run.standardOutput)
      let cause = try #require(report.thrown?.first { $0.isCause == true })
      #expect(cause.frames.first?.description?.contains("open(_:)") == true)
    }

    @Test func nothingIsKeptUnlessTheOptionIsOn() throws {
      let death = try Death("try", build: "-O", options: "thrown=no")
      #expect(death.report.thrown == nil && !death.text.contains("was thrown"))
    }

    /// The preload library cannot see a runtime that is inside the program.
    @Test func programWithTheRuntimeInsideHasAReport() throws {
      let death = try Death("try", build: "-O -static-stdlib")
      #expect(death.report.thrown == nil && death.report.message?.contains("Missing") == true)
    }

    // MARK: Programs that link CrashKit

    private static func probe(_ how: String) throws -> Victim {
      try Victim([Products.folder.appending(path: "tasks-probe").path, "thrown", how])
    }

    private func cause(of how: String) throws -> (ProducedReport.ThrownError, ProducedReport) {
      let victim = try Self.probe(how)
      _ = try victim.report()
      let report = try victim.symbolicatedReport()
      return (try #require(report.thrown?.first { $0.isCause == true }, "\(victim.run.standardError)"), report)
    }

    @Test func originIsKnownAmongTheThrowsOfManyThreads() throws {
      let (cause, report) = try cause(of: "many")
      #expect(Self.functions(cause).first?.contains("throwThere(_:)") == true)
      #expect(report.thrown?.count == 32)
      #expect(report.omittedThrown ?? 0 > 16 * 200 * 3 - 32)
      let types = Set(report.thrown?.compactMap(\.type) ?? [])
      #expect(types.isSubset(of: ["tasks_probe.Failure", "tasks_probe.Other", "tasks_probe.Refusal"]), "\(types)")
    }

    @Test func threadsThatEndGiveTheirRoomBack() throws {
      let (cause, report) = try cause(of: "ended")
      #expect(Self.functions(cause).first?.contains("throwThere(_:)") == true)
      #expect(cause.thread == report.threads.first?.id)
      #expect(report.omittedThrown == 601 - 32)
    }

    @Test func errorInATaskIsKnownAfterHops() throws {
      let (cause, report) = try cause(of: "hops")
      #expect(Self.functions(cause).first?.contains("throwThere(_:)") == true)
      #expect(cause.task != nil && cause.task != report.threads.first?.task?.id)
      #expect(report.thrown?.count == 11 && report.thrown?.first?.isCause == true)
    }

    @Test func laterErrorAtTheSameAddressCounts() throws {
      let victim = try Self.probe("used-again")
      #expect(victim.run.standardOutput == "used again\n")
      let thrown = try #require(try victim.symbolicatedReport().thrown)
      let cause = try #require(thrown.first { $0.isCause == true })
      #expect(Self.functions(cause).first?.contains("throwThere(_:)") == true)
      #expect(thrown.filter { Self.functions($0).first?.contains("throwHere(_:)") == true }.count > 16)
    }

    /// Stray words between the frame pointer and the return address are no frames.
    @Test func aFunctionWithItsReturnAddressApartHasNoStrayCaller() throws {
      let (cause, _) = try cause(of: "apart")
      let functions = Self.functions(cause)
      #expect(
        functions.first?.contains("throwThere(_:)") == true && functions.dropFirst().first?.contains("callOn") == true)
      let callers = cause.frames.drop { $0.description?.contains("callOn") != true }.drop {
        $0.description?.contains("callOn") == true
      }
      #expect(callers.first?.description?.contains("swift_job_run") == true, "\(functions)")
    }

    @Test func errorOfAClassIsKnown() throws {
      let (cause, _) = try cause(of: "class")
      #expect(cause.type == "Foundation.NSError")
    }

    @Test(
      .enabled(if: Products.areOfThisBuild, "the runtime is inside the programs"), arguments: ["before", "after"])
    func hooksOfOthersAreCalledToo(_ how: String) throws {
      let victim = try Self.probe(how)
      #expect(victim.run.standardOutput == "1 2\n")
      let report = try victim.symbolicatedReport()
      let types = report.thrown?.compactMap(\.type)
      #expect(types == ["tasks_probe.Failure", "tasks_probe.Refusal", "tasks_probe.Refusal"])
      let places = try #require(report.thrown).compactMap { Self.functions($0).first }
      #expect(places.map { $0.contains("throwHere(_:)") || $0.contains("refuse(_:)") } == [true, true, true])
    }

    /// Three reports of errors that are captured one after the other, with their paths.
    private func captures(by victim: Victim) throws -> ([String], [ProducedReport]) {
      #expect(victim.run.end == .exited(0))
      let paths = try victim.folder.files(endingWith: ".json").sorted()
      try #require(paths.count == 3, "\(victim.run.standardError)")
      let reports = try paths.map { path in
        try expectValid(path)
        return try ProducedReport(
          text: try ProgramRun.run([Products.crashsym, "--format", "json", path]).standardOutput)
      }
      return (paths, reports)
    }

    /// The newest error is not the one that is captured.
    @Test func capturedErrorHasItsOrigin() throws {
      let victim = try Self.probe("captured")
      let (paths, reports) = try captures(by: victim)
      #expect(reports.map(\.kind) == ["error", "error", "error"])
      let causes = reports.map { $0.thrown?.first { $0.isCause == true } }
      #expect(causes.map { $0.flatMap { Self.functions($0).first?.contains("throwThere(_:)") } } == [true, false, nil])
      #expect(Self.functions(try #require(causes[1])).first?.contains("refuse(_:)") == true)
      #expect(reports[0].description == "Failure: Failure(number: 7)")
      #expect(reports[0].threads.first?.capturedBy == "caller" && reports[0].context?.name == "GET /orders/42")
      let cut = try #require(reports[2].description)
      #expect(cut.hasPrefix("Other: Other(text: \"password=***") && !cut.contains("geheim") && cut.utf8.count <= 1024)
      let text = try ProgramRun.run([Products.crashsym, paths[0]]).standardOutput
      #expect(text.contains("met an error: Failure: Failure(number: 7)"))
      #expect(text.contains("The error was thrown in throwThere(_:)"))
    }

    /// A typed throw is known by its value alone: an error that it did not throw may be equal.
    @Test func equalErrorIsNotTakenForTheThrownOne() throws {
      let victim = try Self.probe("equal")
      let (paths, reports) = try captures(by: victim)
      let causes = try reports.map { try #require($0.thrown?.first { $0.isCause == true }) }
      #expect(causes.map(\.causeKnownBy) == ["value", nil, "value"])
      let places = causes.compactMap { Self.functions($0).first }
      #expect(places.map { $0.contains("refuseUntyped(_:)") } == [false, true, false], "\(places)")
      #expect(places.map { $0.contains("refuse(_:)") } == [true, false, true], "\(places)")
      let text = try ProgramRun.run([Products.crashsym, paths[0]]).standardOutput
      #expect(text.contains("\nAn equal error was thrown in refuse(_:)"))
      #expect(text.contains("\nAn equal error, tasks_probe.Refusal, was thrown by thread"))
      let html = try ProgramRun.run([Products.crashsym, "--format", "html", paths[0]]).standardOutput
      #expect(html.contains("Where an equal error was thrown") && !html.contains("Where the error was thrown"))
    }

    /// The views show the context all the same. Of its keys the innermost are kept.
    @Test func anErrorKeepsTheContextThatItLeft() throws {
      let victim = try Self.probe("leaves-context")
      _ = try victim.report()
      let report = try victim.symbolicatedReport()
      let cause = try #require(report.thrown?.first { $0.isCause == true }, "\(victim.run.standardError)")
      let context = try #require(cause.context)
      let outer = (10..<24).map { "key.\($0)" }
      #expect(context.name == "POST /pay" && context.omittedAttributes == 6)
      #expect(context.attributes?["request.id"] == "r-42")
      #expect(context.attributes?.keys.sorted() == outer + ["request.id", "z"])
      #expect(report.context == nil)
      let text = try ProgramRun.run([Products.crashsym, try victim.reportPath()]).standardOutput
      let lines = text.split(separator: "\n").prefix(4)
      #expect(
        lines.contains { $0.contains("POST /pay request.id=r-42 z=1 key.10=outer") && $0.contains("(6 more keys)") })
    }

    @Test(arguments: ["github", "sarif"]) func capturedErrorHasAPlaceBesideTheCode(_ format: String) throws {
      let victim = try Self.probe("captured")
      let (paths, _) = try captures(by: victim)
      func shown(_ path: String) throws -> String {
        try ProgramRun.run([Products.crashsym, "--format", format, path]).standardOutput
      }
      func line(_ number: Int) -> String { format == "github" ? ",line=\(number)," : "\"startLine\":\(number)" }
      let source = try String(
        contentsOf: Products.root.appending(path: "Tests/TasksProbe/Thrown.swift"), encoding: .utf8)
      let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
      func place(after mark: String, of words: String) throws -> Int {
        let start = try #require(lines.firstIndex { $0.contains(mark) })
        return try #require(lines[start...].firstIndex { $0.contains(words) }) + 1
      }
      let thrown = try shown(paths[0])
      #expect(thrown.contains(line(try place(after: "func throwThere", of: "throw Failure"))), "\(thrown)")
      #expect(thrown.contains("the error was thrown here"))
      #expect(try shown(paths[1]).contains("an equal error was thrown here"))
      let unthrown = try shown(paths[2])
      #expect(unthrown.contains(line(try place(after: "func captureErrors", of: "password=geheim"))), "\(unthrown)")
      #expect(!unthrown.contains("was thrown here"))
    }

    @Test(.enabled(if: Products.areOfThisBuild, "the runtime is inside the programs"))
    func hooksAreNotReplacedUnlessTheOptionIsOn() throws {
      #expect(try Self.probe("off").run.standardOutput == "no hook\n")
      #if DEBUG
        let expected = "hooks\n"
      #else
        let expected = "no hook\n"
      #endif
      #expect(try Self.probe("default").run.standardOutput == expected)
    }
  }
}
