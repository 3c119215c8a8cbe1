import CCrashCapture
import CProcessHooks
import Foundation
import Testing

/// What the probe's own questions answer; the questions are in Tests/RegionProbe.
@Suite struct RegionProbeTests {
  @Test(arguments: [
    ["interrupted"], ["late-attach", "4096"], ["late-attach", "65536"], ["late-attach", "1048576"],
    ["attach-race", "100"],
    ["quiet"], ["truncated", "0"], ["truncated", "4096"], ["truncated", "5000"], ["truncated", "120000"],
    ["fork-of-threads"], ["spawn"], ["attributes"], ["metrics"],
  ])
  func answersCorrectly(_ question: [String]) throws {
    let outcome = try Probe().run(question[0], Array(question.dropFirst()))
    #expect(outcome.end == .exit(0), "\(outcome.errors)")
  }

  @Test(arguments: [4096, 65536, 1_048_576])
  func manyProducersWithAReader(ringSize: Int) throws {
    let probe = try Probe()
    let outcome = try probe.run("producers", [String(ringSize), "4", "20000"])
    #expect(outcome.end == .signal(SIGKILL), "\(outcome.errors)")
    let contents = try #require(try probe.onlyRegion().contents())
    #expect(contents.crumbs.count > ringSize / 400)
    #expect(UInt64(contents.crumbs.count) + contents.omitted == 80_000)
  }

  /// A record's token holds 24 bits of its number; the rest has to come from the header.
  @Test(arguments: [8_388_608, 8_388_609])
  func countsBeyondATokensBits(count: Int) throws {
    let probe = try Probe()
    let outcome = try probe.run("counted", [String(count)])
    #expect(outcome.end == .signal(SIGKILL), "\(outcome.errors)")
    let contents = try #require(try probe.onlyRegion().contents())
    #expect(contents.crumbs.count == 4096 / 32)
    #expect(contents.omitted == UInt64(count - 4096 / 32))
  }

  @Test func lastBreadcrumbOutlivesSIGKILL() throws {
    let probe = try Probe()
    let outcome = try probe.run("records", ["65536", "5000"])
    #expect(outcome.end == .signal(SIGKILL), "\(outcome.errors)")
    let contents = try #require(try probe.onlyRegion().contents())
    let (header, crumbs) = (contents.header, contents.crumbs)
    let last = try #require(crumbs.last)
    #expect(last.message.hasPrefix("0 4999 "))
    #expect(last.category == "c999")
    #expect(last.level == 4999 % 7)
    #expect(UInt64(crumbs.count) + contents.omitted == 5000)
    #expect(crumbs.map { Int($0.message.split(separator: " ")[1])! } == Array((5000 - crumbs.count)..<5000))

    #expect(last.thread == header.pid)
    #expect(try probe.files() == ["\(header.pid)-\(String(format: "%016lx", header.instance)).ring"])
    #expect(contents.attributes == ["tenant": "blue", "db_password": "***"])
    let metric = try #require(contents.metrics["cpu.load"])
    #expect(metric.value == 0.5 && metric.has_threshold && metric.threshold == 0.25)
    #expect(metric.state == CPH_METRIC_CRITICAL)
    #expect(RegionContents.text(of: metric.unit, Int(metric.unit_length)) == "ratio")
    #expect(RegionContents.text(of: header.application_name, Int(header.application_name_length)) == "probe")
    #expect(RegionContents.text(of: header.process_name, Int(header.process_name_length)) == "region-probe")
    let bootID = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)
    #expect(RegionContents.text(of: header.boot_id, Int(header.boot_id_length)) + "\n" == bootID)
    #expect(header.start_ticks > 0)
    #expect(header.ending == CK_ENDING_NONE)
    // Wall time from the anchors that the dead process left.
    let recorded = Double(Int64(header.last_alive) + header.clock_offset) / 1e9
    #expect(abs(recorded - Date().timeIntervalSince1970) < 60)
  }

  @Test(arguments: ["fork", "raw-fork"])
  func childHasItsOwnFile(fork: String) throws {
    let probe = try Probe()
    let outcome = try probe.run(fork)
    #expect(outcome.end == .signal(SIGKILL), "\(outcome.errors)")
    let names = Dictionary(
      uniqueKeysWithValues: outcome.output.split(separator: "\n").map { line in
        let words = line.split(separator: " ")
        return (String(words[0]), String(words[1]))
      })
    let parentName = try #require(names["parent"])
    let childName = try #require(names["child"])
    let parent = try #require(try probe.region(parentName).contents()).crumbs
    let childContents = try #require(try probe.region(childName).contents())
    let child = childContents.crumbs
    #expect(child.allSatisfy { $0.thread == childContents.header.pid })
    #expect(parent.map(\.message) == (0...5).map { "parent \($0)" })
    #expect(child.map(\.message) == ["child 1"])
    #expect(try probe.files() == [parentName, childName].sorted())
  }

  @Test(arguments: ["record", "idle"])
  func parentsLockEndsWithTheParent(childDoes: String) throws {
    let probe = try Probe()
    let process = probe.makeProcess("fork-hold", [childDoes])
    let input = Pipe()
    let output = Pipe()
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    process.waitUntilExit()
    #expect(Probe.end(of: process) == .signal(SIGKILL))
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    let parentName = line.trimmingCharacters(in: .whitespacesAndNewlines)
    let names = try probe.files()
    #expect(names.count == (childDoes == "record" ? 2 : 1))
    for name in names {
      let file = try FileHandle(forReadingFrom: probe.directory.appending(path: name))
      let isOwned = flock(file.fileDescriptor, LOCK_EX | LOCK_NB) != 0
      // The child lives until its input ends; the parent is gone.
      #expect(isOwned == (name != parentName))
    }
    try input.fileHandleForWriting.close()
  }
}
