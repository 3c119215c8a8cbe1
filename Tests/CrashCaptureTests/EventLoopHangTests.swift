import Foundation
import Testing

/// Event loops of SwiftNIO, seen from outside.
@Suite(.serialized) struct EventLoopHangTests {
  @Test(arguments: ["sleep", "lock", "compute", "early"])
  func theHungLoopIsNamed(_ mode: String) throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("event-loop-probe", [mode, "1.2"])
    #expect(end == .exit(0))
    // One thread of ours watches four loops.
    #expect(mode == "early" || output.contains("detectors 1"))
    let reports = try probe.reports()
    #expect(reports.count == 1)
    let report = try #require(reports.first)
    let hang = try #require(report.hang)
    #expect(report.kind == "hang" && hang.subject == "eventLoop")
    #expect(hang.name.hasPrefix("NIO-ELT-"))
    #expect(report.description == "event loop \(hang.name) did not run")
    #expect(hang.thread == output.firstMatch(of: /hung thread ([0-9]+)/).flatMap { Int($0.1) })
    #expect(report.threads.first?.id == hang.thread && report.threads.first?.name == hang.name)
    #expect(hang.recovered && hang.duration > 0.2)
    let ways = hang.samples.map(\.capturedBy)
    #expect(ways.count { $0 == (mode == "compute" ? "signal" : "procSyscall") } * 2 > ways.count, "\(ways)")
  }

  @Test func loopsThatHangTogetherHaveAReportEach() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("event-loop-probe", ["both", "1.5"])
    #expect(end == .exit(0))
    let hangs = try probe.reports().compactMap(\.hang)
    let said = output.matches(of: /hung thread ([0-9]+)/).compactMap { Int($0.1) }
    #expect(Set(hangs.map(\.thread)) == Set(said) && said.count == 2)
    #expect(hangs.allSatisfy { $0.recovered && $0.samples.count >= 2 })
  }

  @Test func aLoopThatAnswersInTimeDoesNotHang() throws {
    let probe = try LiveProbe()
    #expect(try probe.run("event-loop-probe", ["busy", "1.5"]).end == .exit(0))
    #expect(try probe.reports().isEmpty)
  }

  /// Four loops under a threshold of 200 ms would have 60 heartbeats.
  @Test func anIdleLoopIsLeftAlone() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("event-loop-probe", ["idle", "1.5"])
    #expect(end == .exit(0))
    #expect(output == "detectors 1\nwaits 0\n")
    #expect(try probe.reports().isEmpty)
  }

  /// Under three detectors. Docs/hangs.md has what was measured on a quiet machine.
  @Test func watchingAServerCostsNextToNothing() throws {
    let probe = try LiveProbe()
    let (end, output) = try probe.run("event-loop-probe", ["server", "3"])
    #expect(end == .exit(0))
    #expect(try #require(Double(output.trimmingCharacters(in: .whitespacesAndNewlines))) < 0.02)
    #expect(try probe.reports().isEmpty)
  }

  /// Nothing runs on it then, which SwiftNIO would complain of; and the detector's thread ends.
  @Test func aGroupMayBeShutDown() throws {
    let probe = try LiveProbe()
    let path = probe.directory.appending(path: "errors").path
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let errors = try #require(FileHandle(forUpdatingAtPath: path))
    let (end, output) = try probe.run("event-loop-probe", ["shutdown", "1.5"], errors: errors)
    #expect(end == .exit(0))
    #expect(output == "detectors 1\ndetectors 0\n")
    #expect(try String(contentsOfFile: path, encoding: .utf8).isEmpty)
    #expect(try probe.reports().isEmpty)
  }
}
