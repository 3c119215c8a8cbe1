import Foundation
import Testing

extension EndToEnd {
  /// Deaths that no signal handler sees: the next launch tells of them.
  @Suite struct UncleanExitTests {
    struct Death: Sendable, CustomTestStringConvertible {
      var how: String
      var classification: String
      var cause: String
      var evidence: String
      var testDescription: String { how }
    }

    static let deaths = [
      Death(how: "kill", classification: "killed", cause: "ended from outside", evidence: "all leave the same traces"),
      Death(
        how: "terminate", classification: "killed", cause: "ended from outside", evidence: "all leave the same traces"),
      Death(how: "_exit-3", classification: "unexplained", cause: "ended itself by _exit(3)", evidence: "status 3"),
      Death(how: "quick_exit-4", classification: "unexplained", cause: "by _exit(4)", evidence: "status 4"),
      Death(
        how: "kill-in-handler", classification: "unexplained", cause: "it ended in its own handler of SIGSEGV",
        evidence: "did not return"),
      Death(
        how: "kill-after-handler", classification: "killed", cause: "ended from outside",
        evidence: "all leave the same traces"),
      Death(
        how: "hang", classification: "hang", cause: "it hung when it was ended", evidence: "the hang had lasted 2 s"),
      Death(
        how: "hang-over", classification: "killed", cause: "ended from outside", evidence: "all leave the same traces"),
    ]

    @Test(arguments: deaths) func anUncleanExitIsReportedOnce(_ death: Death) throws {
      let process = try EndedProcess()
      try process.end(death.how)
      let ring = try process.ring().name
      #expect(try process.tell().count == 1)
      let report = try process.report()
      #expect(report.kind == "uncleanExit")
      #expect(report.cause?.contains(death.cause) == true, "\(report.cause ?? "no cause")")
      let ending = try #require(report.ending)
      #expect(ending.classification == death.classification)
      #expect(ending.evidence.contains { $0.contains(death.evidence) }, "\(ending.evidence)")
      #expect(ring == "\(report.process.pid)-\(ending.instance).ring")
      #expect(report.process.name == "previous-runs-p" && report.process.uptime.map { $0 >= 0 && $0 < 60 } == true)
      #expect(report.application == ["name": "probe", "version": "2.1", "build": "abc"])
      #expect(report.attributes == ["tenant": "blue"])
      #expect(report.breadcrumbs.map(\.message) == ["started", "last one"])
      #expect(report.breadcrumbs.last?.attributes == ["order": "7"])
      #expect(report.metrics.map(\.name) == ["memory.resident"])
      #expect(report.metrics.first?.value == 1_000_000 && report.metrics.first?.threshold == 2_000_000)
      #expect(report.capture.cutShort == nil)
      #expect(try process.tell().isEmpty)
    }

    /// The bound on what dead processes leave is none on how many live.
    @Test func manyRunningProcessesHideNoReport() throws {
      let process = try EndedProcess()
      let living = try (0..<34).map { _ in
        try RunningProgram([EndedProcess.program, "end", "wait"], environment: process.environment)
      }
      for program in living { #expect(program.line() == "ready") }
      try process.end("kill")
      try process.end("exit")
      // The launch before may have been quick enough to make it.
      try process.tell()
      #expect(try process.names().count { $0.hasSuffix("-uncleanExit.json") } == 1)
      for program in living { program.kill() }
    }

    @Test(arguments: ["exit", "_exit-0", "exit-then-_exit"]) func cleanEndsLeaveNothing(_ how: String) throws {
      let process = try EndedProcess()
      try process.end(how)
      #expect(try process.names() == [])
    }

    @Test func aCrashHasOnlyItsOwnReport() throws {
      let process = try EndedProcess()
      try process.end("crash")
      #expect(try process.names().map { $0.hasSuffix("-crashReport.json") } == [true])
      #expect(try process.tell().isEmpty)
    }

    /// A whole crash report, and a ring that says that it was being written.
    private func crashAndRing(in process: EndedProcess) throws -> (
      name: String, report: String, ring: URL, bytes: [UInt8]
    ) {
      try process.end("crash")
      let name = try #require(try process.names().first)
      let report = try String(contentsOf: process.folder.url.appending(path: name), encoding: .utf8)
      try process.end("kill")
      var (ring, bytes) = try process.ring()
      let parts = name.split(separator: "-")
      let formatter = ISO8601DateFormatter()
      let stamp = try #require(report.firstMatch(of: /"timestamp":"([0-9T:-]+)\.([0-9]{6})Z"/))
      let seconds = try #require(formatter.date(from: "\(stamp.1)Z")).timeIntervalSince1970
      let time = UInt64(seconds) * 1_000_000_000 + UInt64(stamp.2)! * 1000
      bytes.put(UInt32(parts[1])!, at: RingLayout.pid)
      bytes.put(UInt32(3), at: RingLayout.ending)
      bytes.put(time, at: RingLayout.crashTime)
      bytes.put(UInt32(SIGSEGV), at: RingLayout.crashSignal)
      return (name, report, process.folder.url.appending(path: ring), bytes)
    }

    /// Killed while the handler writes: what there is of the report is named.
    @Test func aCrashThatCouldNotBeWritten() throws {
      let process = try EndedProcess()
      let (name, crash, ring, bytes) = try crashAndRing(in: process)
      try Data(bytes).write(to: ring)
      let partial = process.folder.url.appending(path: name + ".partial")
      try FileManager.default.removeItem(at: process.folder.url.appending(path: name))
      try String(crash.prefix(crash.count / 2)).write(to: partial, atomically: false, encoding: .utf8)
      try process.tell()
      let report = try process.report()
      #expect(report.ending?.classification == "crash")
      #expect(report.ending?.unfinishedReport == name + ".partial")
      #expect(report.signal?.name == "SIGSEGV")
      #expect(report.breadcrumbs.last?.message == "last one")
      let text = try ProgramRun.run([Products.crashsym, partial.path])
      #expect(text.end == .exited(0) && text.standardOutput.contains("died of SIGSEGV"))
    }

    /// A report that a full disk cut has its final name, and the ring what it lacks. The cut may be behind a brace.
    @Test(arguments: [false, true]) func aCrashReportThatWasCut(behindABrace: Bool) throws {
      let process = try EndedProcess()
      let (name, crash, ring, bytes) = try crashAndRing(in: process)
      try Data(bytes).write(to: ring)
      // Whole as it is, it tells what the ring would.
      #expect(try process.tell() == [])
      #expect(try process.names() == [name])
      try Data(bytes).write(to: ring)
      let beginning = crash.prefix(1000)
      let brace = try #require(beginning.lastIndex(of: "}"))
      let part = beginning[...brace] + (behindABrace ? "" : ",")
      try String(part).write(to: process.folder.url.appending(path: name), atomically: false, encoding: .utf8)
      try process.tell()
      #expect(try process.report().ending?.unfinishedReport == name + ".partial")
      #expect(try process.names().filter { $0.hasSuffix(".json") }.count == 1)
    }

    @Test func aMachineThatWentDown() throws {
      let process = try EndedProcess()
      try process.end("kill")
      var (name, bytes) = try process.ring()
      bytes[RingLayout.bootID] = bytes[RingLayout.bootID] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
      try Data(bytes).write(to: process.folder.url.appending(path: name))
      try process.tell()
      let report = try process.report()
      #expect(report.cause == "the machine went down" && report.ending?.classification == "unexplained")
    }

    @Test func ringsOfOtherVersions() throws {
      let process = try EndedProcess()
      try process.end("kill")
      var (name, bytes) = try process.ring()
      let path = process.folder.url.appending(path: name)
      bytes.put(UInt32(9), at: RingLayout.version)
      try Data(bytes).write(to: path)
      #expect(try process.tell() == ["note \(name) cannot be read (\(bytes.count) bytes); it is now \(name).damaged"])
      #expect(try process.names() == ["\(name).damaged"])
      // Version 1 left zeros where version 2 has what the next launch compares.
      bytes.put(UInt32(1), at: RingLayout.version)
      try Data(bytes).write(to: path)
      try process.tell()
      let report = try process.report()
      #expect(report.ending?.classification == "killed" && report.breadcrumbs.last?.message == "last one")
    }

    /// Whoever makes the report may end after each step; the next one goes on.
    @Test func reportersMayEndInTheMiddle() throws {
      let process = try EndedProcess()
      try process.end("kill")
      let (name, bytes) = try process.ring()
      let folder = process.folder.url
      try Data("half a rep".utf8).write(to: folder.appending(path: name.dropLast(5) + ".partial"))
      #expect(try process.tell().count == 1)
      let report = try #require(try process.names().first)
      #expect(try process.names() == [report])
      // The report was there, and the ring as well.
      try Data(bytes).write(to: folder.appending(path: name))
      #expect(try process.tell() == [])
      #expect(try process.names() == [report])
      // Or it had been handled meanwhile.
      try FileManager.default.createDirectory(at: folder.appending(path: "handled"), withIntermediateDirectories: false)
      try FileManager.default.moveItem(
        at: folder.appending(path: report), to: folder.appending(path: "handled/\(report)"))
      try Data(bytes).write(to: folder.appending(path: name))
      #expect(try process.tell() == [])
      #expect(try process.names() == ["handled"])
    }

    @Test func manyLaunchesAtOnceMakeOneReportEach() throws {
      let process = try EndedProcess()
      for _ in 0..<12 { try process.end("kill") }
      // A launch may have come to tell of the one before, before it was killed itself.
      let told = try process.names().count { $0.hasSuffix("-uncleanExit.json") }
      let rings = try process.rings()
      #expect(rings.count + told == 12 && rings.count > 6)
      let reporters = try (0..<6).map { _ in
        try RunningProgram([EndedProcess.program, "report", process.folder.url.path], environment: process.environment)
      }
      let lines = reporters.flatMap { $0.finish().output }
      #expect(lines.count == rings.count && lines.allSatisfy { $0.hasPrefix("made ") }, "\(lines)")
      let reports = try process.names().filter { $0.hasSuffix("-uncleanExit.json") }
      #expect(reports.count == 12 && Set(reports.map { $0.split(separator: "-")[1] }).count == 12)
      #expect(try process.names().count == 12)
    }

    static let canMakeNamespace: Bool = {
      guard let unshare = Products.onPath("unshare"), let truth = Products.onPath("true") else { return false }
      return (try? ProgramRun.run([unshare, "-pf", "--mount-proc", truth]))?.end == .exited(0)
    }()

    /// Two containers on one volume: each has a PID 1.
    @Test(.enabled(if: canMakeNamespace, "no PID namespace can be made here"))
    func containersWithTheSamePidAreDistinguished() throws {
      let process = try EndedProcess()
      let container = [try #require(Products.onPath("unshare")), "-pf", "--mount-proc"]
      let living = try RunningProgram(
        container + [EndedProcess.program, "end", "wait"], environment: process.environment)
      #expect(living.line() == "ready")
      let ofLiving = try process.ring().name
      #expect(ofLiving.hasPrefix("1-"))
      let dead = try ProgramRun.run(
        container + [EndedProcess.program, "end", "_exit-3"], environment: process.environment)
      #expect(dead.end == .exited(3))
      let ofDead = try #require(try process.rings().first { $0 != ofLiving })
      #expect(ofDead.hasPrefix("1-"))
      #expect(try process.tell(wrapper: container).count == 1)
      #expect(try process.rings() == [ofLiving])
      living.finish()
      let report = try process.report()
      #expect(ofDead == "1-\(report.ending?.instance ?? "").ring")
    }

    /// Whoever becomes another program by exec has not died.
    @Test func anExecIsNotADeath() throws {
      let process = try EndedProcess()
      let victim = try Victim(
        [
          Products.crashsym, "run", "--", "/bin/sh", "-c", "exec \(EndedProcess.program) end kill",
        ], environment: ["CRASHKIT_DIRECTORY": process.folder.url.path])
      #expect(victim.run.end == .killed(signal: SIGKILL))
      let report = try process.report()
      #expect(report.application["name"] == "probe" && report.cause == "killed by SIGKILL")
    }
  }
}

/// Where things stand in a ring file's header.
enum RingLayout {
  static let version = 8
  /// What is shorter is refused.
  static let namesEnd = 356
  static let pid = 48
  static let ending = 104
  static let bootID = 128
  static let evidence = 384
  static let crashTime = evidence + 8
  static let crashSignal = evidence + 16
  static let memoryLimit = evidence + 32
  static let machineKills = evidence + 40
  static let eventsInode = evidence + 56
}

extension [UInt8] {
  /// Writes a little-endian number.
  mutating func put<Number: FixedWidthInteger>(_ number: Number, at offset: Int) {
    for index in 0..<(Number.bitWidth / 8) {
      self[offset + index] = UInt8(truncatingIfNeeded: number >> (8 * Number(index)))
    }
  }
}
