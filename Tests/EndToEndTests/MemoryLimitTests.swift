import CrashReportModel
import Foundation
import Testing

@testable import PreviousRuns

extension EndToEnd {
  /// The kernel's out-of-memory kill, told from other kills.
  @Suite struct MemoryLimitTests {
    /// The next launch sees only that a process of the group was killed.
    @Test(.enabled(if: ControlGroup.canBeMade, "no control group with a memory limit can be made here"))
    func theKernelsKillIsPossible() throws {
      let process = try EndedProcess()
      let group = try ControlGroup(megabytes: 48)
      let run = try ProgramRun.run(
        group.command([EndedProcess.program, "end", "eat"]), environment: process.environment)
      #expect(run.end == .killed(signal: SIGKILL), "\(run)")
      try process.tell()
      let report = try process.report()
      let ending = try #require(report.ending)
      #expect(ending.classification == "killed", "\(ending)")
      #expect(report.cause?.hasSuffix("; perhaps the kernel did it for lack of memory") == true)
      #expect(ending.evidence.contains("out-of-memory kills in its control group: 0 at its start, 1 now"))
      #expect(report.breadcrumbs.last?.message == "last one" && report.metrics.first?.value == 1_000_000)
      #expect(report.memory?.limit == 48 << 20)
      #expect(report.memory?.events?.oomKill == 1 && report.memory?.events?.max != nil)
      #expect(report.memory?.pressure == nil, "it is of another time")
    }

    /// Another's kill in the same group speaks for it as long as nobody knows better: crashsym does.
    @Test(.enabled(if: ControlGroup.canBeMade, "no control group with a memory limit can be made here"))
    func crashsymKnowsTheSignal() throws {
      let group = try ControlGroup(megabytes: 48)
      let killed = try EndedProcess()
      let run = try ProgramRun.run(
        [Products.crashsym, "run", "--"] + group.command([EndedProcess.program, "end", "eat"]),
        environment: killed.environment)
      #expect(run.end == .killed(signal: SIGKILL))
      #expect(
        run.standardError.contains("the kernel ended it for lack of memory"), Comment(rawValue: run.standardError))
      let memory = try #require(try killed.report().memory)
      #expect(try killed.report().ending?.classification == "memoryLimit")
      #expect(memory.limit == 48 << 20 && memory.events?.oomKill == 1)
      let isMeasured = (try? String(contentsOfFile: "/proc/pressure/memory", encoding: .utf8)) != nil
      #expect((memory.pressure?.some != nil) == isMeasured)

      let terminated = try EndedProcess()
      _ = try ProgramRun.run(
        [Products.crashsym, "run", "--"] + group.command([EndedProcess.program, "end", "terminate"]),
        environment: terminated.environment)
      #expect(try terminated.report().ending?.classification == "killed")
    }

    /// A kill in the group is of another process, and the signal comes from a user.
    @Test(
      .enabled(if: ControlGroup.canBeMade, "no control group with a memory limit can be made here"),
      arguments: [SIGTERM, SIGKILL], [false, true])
    func anotherProcessWasKilled(signal: Int32, underCrashsym: Bool) throws {
      let group = try ControlGroup(megabytes: 48)
      let process = try EndedProcess()
      let eater = try EndedProcess()
      // The program installs first. Then the other process is killed, which is no child of it, and at last it ends.
      let folder = eater.folder.url.path
      let eats =
        "(env -u CK_BEFORE_END CRASHKIT_DIRECTORY=\(folder) \(EndedProcess.program) end eat 2>/dev/null &) | cat >/dev/null"
      let ends = "\(EndedProcess.program) end \(signal == SIGKILL ? "kill" : "terminate")"
      _ = try ProgramRun.run(
        (underCrashsym ? [Products.crashsym, "run", "--"] : [])
          + group.command(["env", "'CK_BEFORE_END=\(eats)'", ends]),
        environment: process.environment)
      if !underCrashsym { try process.tell() }
      let report = try process.report()
      let ending = try #require(report.ending)
      #expect(report.memory?.events?.oomKill == 1, "\(report.memory as Any)")
      #expect(ending.classification == "killed", "\(ending)")
      let isKnown = underCrashsym && signal == SIGTERM
      #expect(report.cause?.contains("perhaps the kernel did it") == !isKnown, "\(report.cause as Any)")
    }

    /// A container takes its control group along: the machine's count, the limit and the last metrics are left.
    @Test func aRemovedCgroup() throws {
      let process = try EndedProcess()
      try process.end("kill")
      var bytes = try process.ring().bytes
      bytes.put(UInt64(1), at: RingLayout.eventsInode)
      bytes.put(UInt64(1_100_000), at: RingLayout.memoryLimit)
      bytes.put(UInt64(5), at: RingLayout.machineKills)
      let bootID = try String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8).prefix(36)
      func classification(limit: UInt64 = 1_100_000, killsNow: UInt64) throws -> CrashReport.Ending.Classification {
        var changed = bytes
        changed.put(limit, at: RingLayout.memoryLimit)
        let contents = try #require(RegionContents(changed))
        let surroundings = Surroundings(bootID: String(bootID), machineMemoryKills: killsNow)
        return Verdict(contents, known: nil, surroundings: surroundings).classification
      }
      #expect(try classification(killsNow: 6) == .memoryLimit)
      #expect(try classification(killsNow: 5) == .killed)
      #expect(try classification(limit: 4_000_000, killsNow: 6) == .killed)
      #expect(try classification(limit: 0, killsNow: 6) == .killed)
    }
  }

  /// A control group with a memory limit, of either version; it goes with the value.
  private final class ControlGroup {
    private let path: String

    /// Where such groups can be made, with the name of the file for the limit; nil where not.
    private static let parent: (path: String, limit: String)? = {
      let lines = (try? String(contentsOfFile: "/proc/self/cgroup", encoding: .utf8))?.split(separator: "\n") ?? []
      for line in lines {
        let parts = line.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3 else { continue }
        let candidate =
          parts[1] == "memory"
          ? ("/sys/fs/cgroup/memory\(parts[2])", "memory.limit_in_bytes")
          : parts[1].isEmpty ? ("/sys/fs/cgroup\(parts[2])", "memory.max") : nil
        guard let candidate, FileManager.default.isWritableFile(atPath: candidate.0) else { continue }
        let probe = "\(candidate.0)/crashkit-probe-\(getpid())"
        guard mkdir(probe, 0o755) == 0 else { continue }
        defer { rmdir(probe) }
        if FileManager.default.isWritableFile(atPath: "\(probe)/\(candidate.1)") { return candidate }
      }
      return nil
    }()

    static var canBeMade: Bool { parent != nil }

    init(megabytes: Int) throws {
      let parent = try #require(Self.parent)
      path = "\(parent.path)/crashkit-\(UUID().uuidString)"
      try #require(mkdir(path, 0o755) == 0)
      try "\(megabytes << 20)".write(toFile: "\(path)/\(parent.limit)", atomically: false, encoding: .utf8)
      // Swapping is no way out. Where there is no swap, there is no such file.
      for file in ["memory.memsw.limit_in_bytes", "memory.swap.max"] {
        let value = file == "memory.swap.max" ? "0" : "\(megabytes << 20)"
        try? value.write(toFile: "\(path)/\(file)", atomically: false, encoding: .utf8)
      }
    }

    deinit { rmdir(path) }

    /// The command, in this group.
    func command(_ command: [String]) -> [String] {
      ["/bin/sh", "-c", "echo $$ > \(path)/cgroup.procs && exec \(command.joined(separator: " "))"]
    }
  }
}
