import Foundation
import Testing

extension EndToEnd {
  /// What a program's next launch does about the reports of earlier ones.
  @Suite struct NextLaunchTests {
    /// Launches the program, which says what it is given; the end of its input ends it.
    private func launch(_ process: EndedProcess, _ how: String, options: String? = nil) throws -> RunningProgram {
      try RunningProgram(
        [EndedProcess.program, "next", how],
        environment: process.environment.merging(["CRASHKIT_OPTIONS": options]) { $1 })
    }

    private func given(_ lines: [String]) -> [String] {
      lines.filter { $0.hasPrefix("given ") }.map { String($0.dropFirst(6)) }
    }

    /// A report of another kind, as another part of the package leaves it.
    private func add(_ kind: String, second: Int, to process: EndedProcess) throws -> String {
      let name = "20261101T0000\(second < 10 ? "0" : "")\(second).000Z-9-\(kind).json"
      let text = #"{"schema":"crashkit/1","kind":"\#(kind)","cause":"of \#(kind)","process":{"pid":9,"name":"other"}}"#
      try text.write(to: process.folder.url.appending(path: name), atomically: false, encoding: .utf8)
      return name
    }

    @Test func handsOverReportsThatWereNotHandled() throws {
      let process = try EndedProcess()
      let hang = try add("hang", second: 1, to: process)
      let inversion = try add("lockOrderInversion", second: 2, to: process)
      try process.end("kill")
      let program = try launch(process, "handle")
      let lines = (0..<7).map { _ in program.line() ?? "" }
      let errors = program.finish().errors
      let names = given(lines)
      #expect(lines.contains("installed"))
      #expect(names.count == 3 && names[0] == hang && names[1] == inversion && names[2].hasSuffix("-uncleanExit.json"))
      #expect(errors.count == 3)
      #expect(
        errors.allSatisfy { $0.hasPrefix("CrashKit[\(program.pid)]: not yet handled: \(process.folder.url.path)/") })
      #expect(errors.contains { $0.hasSuffix("-hang.json (of hang)") })
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: "\(process.folder.url.path)/handled").sorted() == names)
      #expect(try process.names() == ["handled"])
    }

    @Test func unhandledReportsComeAgain() throws {
      let process = try EndedProcess()
      let name = try add("hang", second: 1, to: process)
      for _ in 0..<2 {
        let program = try launch(process, "keep", options: "summary=no")
        #expect(given((0..<3).map { _ in program.line() ?? "" }) == [name])
        #expect(program.finish().errors.isEmpty)
      }
      #expect(try process.names() == [name])
    }

    /// A short run that ends while the closure is at work has not died of the report.
    @Test func anExitInTheHandlerIsNotADeath() throws {
      let process = try EndedProcess()
      let name = try add("hang", second: 1, to: process)
      for _ in 0..<5 {
        let program = try launch(process, "exit-within", options: "summary=no")
        #expect(program.finish().errors.isEmpty)
      }
      #expect(try process.names() == [name])
      #expect(!FileManager.default.fileExists(atPath: "\(process.folder.url.path)/.hand-over"))
    }

    @Test func manyAreNamedInAFewLines() throws {
      let process = try EndedProcess()
      for second in 1...9 { _ = try add("hang", second: second, to: process) }
      let program = try launch(process, "keep")
      let errors = (0..<6).map { _ in program.errorLine() ?? "" }
      #expect(errors[0].contains("T000009.000Z") && errors[4].contains("T000005.000Z"))
      #expect(errors[5] == "CrashKit[\(program.pid)]: not yet handled: 4 more in \(process.folder.url.path)")
      #expect(program.finish().errors.isEmpty)
    }

    /// The program dies of one report: it gets it three times, the others all the same.
    @Test func oneReportIsDeadly() throws {
      let process = try EndedProcess()
      let deadly = try add("hang", second: 1, to: process)
      let other = try add("nan", second: 2, to: process)
      var deaths = 0
      for launchNumber in 1...4 {
        let program = try launch(process, "die-of-hang")
        if launchNumber < 4 {
          while let line = program.line() { if line == "given \(deadly)" { deaths += 1 } }
        } else {
          while let line = program.errorLine(), !line.contains("is set aside") {}
        }
        let rest = program.finish()
        if launchNumber > 1 && launchNumber < 4 { #expect(rest.output.isEmpty) }
      }
      #expect(deaths == 3)
      #expect(FileManager.default.fileExists(atPath: "\(process.folder.url.path)/set-aside/\(deadly)"))
      let names = try process.names()
      #expect(names.contains(other) && !names.contains(deadly))
      #expect(names.filter { $0.hasSuffix("-crashReport.json") }.count == 3)
      #expect(!names.contains { $0.hasSuffix(".attempts") })
    }

    /// The program dies of whatever it is given, the reports of those deaths included.
    @Test func everyReportIsDeadly() throws {
      let process = try EndedProcess()
      for second in 1...3 { _ = try add("hang", second: second, to: process) }
      for _ in 1...3 {
        let program = try launch(process, "die")
        var lines: [String] = []
        while let line = program.line() { lines.append(line) }
        #expect(given(lines).count == 1)
      }
      for _ in 1...2 {
        let program = try launch(process, "die")
        var paused = false
        while !paused, let line = program.errorLine() { paused = line.contains("hands over no report for a day") }
        #expect(paused)
        #expect(given(program.finish().output).isEmpty)
      }
    }

    @Test func hostileFilesDoNotEndALaunch() throws {
      let process = try EndedProcess()
      let good = try add("hang", second: 1, to: process)
      let folder = process.folder.url
      try Data(repeating: 0x5B, count: 1 << 20).write(to: folder.appending(path: "20261102T000000.000Z-1-hang.json"))
      #expect(mkfifo(folder.appending(path: "20261103T000000.000Z-1-hang.json").path, 0o600) == 0)
      #expect(mkfifo(folder.appending(path: "1-0123456789abcdef.ring").path, 0o600) == 0)
      try Data("REGION01 and not".utf8).write(to: folder.appending(path: "2-0123456789abcdef.ring"))
      let program = try launch(process, "keep")
      let lines = (0..<3).map { _ in program.line() ?? "" }
      #expect(given(lines) == [good])
      let errors = program.finish().errors
      #expect(errors.contains { $0.contains("skipped 20261102T000000.000Z-1-hang.json: not a report") })
      #expect(errors.contains { $0.contains("skipped 20261103T000000.000Z-1-hang.json: not a regular file") })
      #expect(errors.contains { $0.contains("2-0123456789abcdef.ring cannot be read (16 bytes)") })
      #expect(try process.rings() == ["1-0123456789abcdef.ring"])
    }

    @Test(.timeLimit(.minutes(30))) func severalLaunchesAtOnceGiveEachReportToOne() throws {
      let process = try EndedProcess()
      let names = try (1...8).map { try add("hang", second: $0, to: process) }
      let programs = try (0..<4).map { _ in try launch(process, "handle", options: "summary=no") }
      var all: [String] = []
      // Each has written what it was given before its input ends: the reports are gone then.
      let handled = "\(process.folder.url.path)/handled"
      for program in programs { #expect(program.line() != nil) }
      while (try? FileManager.default.contentsOfDirectory(atPath: handled).count) != names.count { sched_yield() }
      for program in programs { all += given(program.finish().output) }
      // The first line of each was read above, and may be one of these.
      #expect(all.count >= names.count - 4 && Set(all).count == all.count)
    }

    /// A folder in which no file can be made, whoever asks.
    @Test func aFolderThatTakesNoFiles() throws {
      let state = try TemporaryFolder()
      let run = try ProgramRun.run(
        [EndedProcess.program, "end", "exit"],
        environment: [
          "CRASHKIT_DIRECTORY": "/proc", "STATE_DIRECTORY": state.url.path, "CRASHKIT_OPTIONS": nil,
          "SWIFT_BACKTRACE": "enable=no",
        ])
      #expect(run.end == .exited(3))
      let lines = run.standardError.split(separator: "\n")
      #expect(lines.count == 1)
      #expect(lines.first?.contains("reports go to \(state.url.path): /proc: ") == true, "\(lines)")
    }
  }
}
