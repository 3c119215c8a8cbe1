import Foundation
import PreviousRuns
import Testing

/// Queues that hang, seen from outside.
@Suite(.serialized) struct HangDetectorTests {
  @Test(arguments: [
    ("run-loop", "sleep", "main"), ("run-loop", "compute", "main"), ("dispatch-main", "compute", "main"),
    ("dispatch-main", "sleep", "main"), ("main-actor", "sleep", "main"), ("queue", "compute", "probe.work"),
    ("queue", "sleep", "probe.work"),
  ])
  func aHangIsReportedOnce(_ mode: String, _ how: String, _ queue: String) throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("hang-probe", [mode, how, "1.5"])
    #expect(end == .exit(0))
    let reports = try probe.reports()
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    let hang = try #require(report.hang)
    #expect(report.kind == "hang")
    #expect(report.description == (queue == "main" ? "main queue did not run" : "queue \(queue) did not run"))
    #expect(hang.queue == queue && hang.name == queue && hang.subject == "queue")
    #expect(hang.threshold == 0.2)
    #expect(hang.ended && hang.recovered)
    // On a busy machine the time in which the watchdog itself was late does not count.
    #expect(hang.duration > 0.2 && hang.duration < 1.6)
    #expect(hang.samples.count >= 2)
    #expect(zip(hang.samples, hang.samples.dropFirst()).allSatisfy { $0.after < $1.after })
    let said = output.firstMatch(of: /hung thread ([0-9]+)/).flatMap { Int($0.1) }
    // The probe prints the thread, but not from the main actor.
    #expect((said != nil) == (mode != "main-actor"), "\(output)")
    if let said { #expect(hang.thread == said) }
    let hung = try #require(report.threads.first)
    #expect(hung.id == hang.thread)
    #expect(hung.stackEnd == "entry")
    // The detector's own thread is not the program's.
    #expect(report.threads.filter { $0.belongsTo != nil }.map(\.name) == ["crashkit.hang"])
    #expect(report.threads.first { $0.name == "crashkit.hang" }?.belongsTo == "CrashKit")
    #expect(hang.samples[0].frames.map(\.address) == hung.frames.map(\.address))
    // The function that hangs is in every sample: all have the outermost frames in common.
    let outermost = hang.samples.map { $0.frames.suffix(3).map(\.address) }
    #expect(Set(outermost).count == 1)
    // It tells whether the thread computed or waited.
    let ways = hang.samples.map(\.capturedBy)
    #expect(ways.count { $0 == (how == "sleep" ? "procSyscall" : "signal") } * 2 > ways.count, "\(ways)")
    #expect(hang.threads.map(\.id) == [hang.thread])
    let time = hang.threads[0].processorTime
    // On a busy machine a thread that computes has little of it.
    #expect(how == "sleep" ? time < 0.2 * hang.observedFor : time > 0, "\(time) of \(hang.observedFor) s")
  }

  @Test func aProcessKilledWhileItHangsLeavesAReport() throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("hang-probe", ["killed", "sleep", "30"])
    #expect(end == .signal(SIGKILL))
    let reports = try probe.reports()
    #expect(reports.count == 1)
    let hang = try #require(reports.first?.hang)
    #expect(!hang.ended && !hang.recovered)
    #expect(hang.samples.count == 1)
    #expect((reports.first?.threads.count ?? 0) >= 2)
    // The next launch tells that it was killed for that.
    let told = PreviousRuns(in: try ReportDirectory(path: probe.directory.path)).report()
    let name = try #require(told.reports.first, "\(told.notes)")
    let text = try String(contentsOf: probe.directory.appending(path: name), encoding: .utf8)
    #expect(text.contains(#""classification":"hang""#))
  }

  @Test func oneLineNamesTheReport() throws {
    let probe = try LiveProbe()
    let path = probe.directory.appending(path: "errors").path
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let errors = try #require(FileHandle(forUpdatingAtPath: path))
    let (end, _) = try probe.run("hang-probe", ["queue", "sleep", "0.8"], errors: errors)
    #expect(end == .exit(0))
    let name = try #require(try probe.names().first { $0.hasSuffix("-hang.json") })
    let said = try String(contentsOfFile: path, encoding: .utf8)
    #expect(said.hasSuffix("]: queue probe.work has not run for 200 ms: \(probe.directory.path)/\(name)\n"))
    #expect(said.split(separator: "\n").count == 1)
  }

  /// Nobody reads the pipe, and the hang is nonetheless sampled to its end.
  @Test func aFullPipeDoesNotHoldUpTheDetector() throws {
    let probe = try LiveProbe()
    let pipe = Pipe()
    let errors = pipe.fileHandleForWriting
    _ = fcntl(errors.fileDescriptor, F_SETFL, O_NONBLOCK)
    let block = [UInt8](repeating: 0x2E, count: 4096)
    while write(errors.fileDescriptor, block, block.count) > 0 {}
    _ = fcntl(errors.fileDescriptor, F_SETFL, 0)
    let (end, _) = try probe.run("hang-probe", ["queue", "sleep", "3"], errors: errors)
    #expect(end == .exit(0))
    let hang = try #require(try probe.reports().first?.hang)
    #expect(hang.recovered && hang.samples.count >= 2)
    withExtendedLifetime(pipe) {}
  }

  /// The report is written twice, and is of one moment: it is as long after the start as the process then was.
  @Test func theStartOfTheProcessDoesNotMove() throws {
    let probe = try LiveProbe()
    var started = Date.distantPast
    let (end, _) = try probe.run("hang-probe", ["queue", "sleep", "1.5"]) { _ in started = Date() }
    #expect(end == .exit(0))
    let text = try #require(try probe.reports().first?.process.startedAt)
    let told = try Date(text, strategy: .iso8601.year().month().day().time(includingFractionalSeconds: true))
    #expect(abs(told.timeIntervalSince(started)) < 0.8)
  }

  @Test func stoppingTheDetectorEndsTheHang() throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("hang-probe", ["given-up", "sleep", "30"])
    #expect(end == .exit(0))
    let hang = try #require(try probe.reports().first?.hang)
    #expect(hang.ended && !hang.recovered)
  }

  /// What is sent to the process goes to a thread of the program's, if one of them takes it.
  @Test func theDetectorsThreadTakesNoSignal() throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("hang-probe", ["signals", "sleep", "0"])
    #expect(end == .exit(0))
    #expect(try probe.reports().isEmpty)
  }

  /// The child of another moment might wait for a lock of the Swift runtime's for good.
  @Test func aForkWaitsForTheHeartbeat() throws {
    let (end, _) = try LiveProbe().run("hang-probe", ["fork", "sleep", "0"])
    #expect(end == .exit(0))
  }

  /// If nothing hangs. A queue that is idle for two seconds would have 20 heartbeats.
  @Test func watchingCostsNextToNothing() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("hang-probe", ["idle", "sleep", "2"])
    #expect(end == .exit(0))
    let said = output.split { $0 == " " || $0 == "\n" }
    try #require(said.count == 2)
    #expect(try #require(Double(said[0])) < 0.02)
    #expect(try #require(Int(said[1])) < 10, "\(output)")
    #expect(try probe.reports().isEmpty)
  }

  @Test func aStoppedProcessDoesNotHang() throws {
    let probe = try LiveProbe()
    let (end, _) = try probe.run("hang-probe", ["idle", "sleep", "2"]) { process in
      // A detector that takes the pause for a hang would do so at once.
      usleep(1_000_000)
      kill(process, SIGSTOP)
      usleep(1_000_000)
      kill(process, SIGCONT)
    }
    #expect(end == .exit(0))
    #expect(try probe.reports().isEmpty)
  }
}
