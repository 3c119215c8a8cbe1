import CLinuxCalls
import Foundation
import Testing

extension EndToEnd {
  /// `crashsym capture PID --stop` and `crashsym tasks PID --stop`: programs that stand for a moment, and notice nothing.
  @Suite struct StoppedProgramTests {
    private static let program = "stopped.c"
    private static let calls = [
      "in_epoll", "in_timed_epoll", "in_read", "in_nanosleep", "in_poll", "in_timed_receive", "in_sigtimedwait",
      "in_mutex", "in_semaphore",
    ]

    @Test func callsThatWaitGoOn() throws {
      let looked = try LookedAtProgram(Self.program, ["calls"])
      for _ in TestSet.times(5, quick: 2) {
        let report = try looked.report()
        #expect(report.kind == "capture" && report.threads.count == 1 + Self.calls.count)
        #expect(report.threads.allSatisfy { $0.capturedBy == "ptrace" && $0.state == "sleeping" })
        #expect(report.threads.allSatisfy { $0.stackEnd == "entry" && $0.unwoundBy == "cfi" })
        let functions = report.threads.map { $0.frames.compactMap(\.symbol) }
        for call in Self.calls { #expect(functions.contains { $0.contains(call) && $0.contains("start_thread") }) }
        #expect(report.threads[0].id == Int(looked.pid) && functions[0].contains("main"))
      }
      #if arch(x86_64)
        #expect(looked.running.finish().output == ["broken off: 0"])
      #else
        // epoll_wait twice, recv with a time limit, sigtimedwait.
        #expect(looked.running.finish().output == ["broken off: 4"])
      #endif
    }

    @Test func noSignalIsLost() throws {
      let looked = try LookedAtProgram(Self.program, ["signals"])
      for _ in TestSet.times(10, quick: 4) {
        let run = try looked.look()
        #expect(run.end == .exited(0), "\(run.standardError)")
      }
      #expect(looked.running.finish().output == ["lost: 0, too many: 0, failed: 0, some: 1"])
    }

    /// The signal is there before the thread goes on, so it ends the thread's wait. crashsym is held while the thread stands.
    @Test func aSignalMeanwhileEndsTheWait() throws {
      let looked = try LookedAtProgram(Self.program, ["sent-meanwhile", "500"])
      let process = looked.running.pid
      let waiter = try #require(threads(of: process).dropFirst().first)
      let end = ContinuousClock.now + .seconds(300)
      var sent = 0
      while sent < 5 {
        try #require(ContinuousClock.now < end, "\(sent) signals were sent")
        guard let looking = try heldLook(at: looked, while: waiter) else { continue }
        kill(process, SIGUSR2)
        sent += 1
        kill(looking.pid, SIGCONT)
        looking.finish()
        while state(of: waiter, in: process) != "S" { try #require(ContinuousClock.now < end, "it waits no more") }
      }
      #expect(looked.running.finish().output == ["goes on", "handled: 5, ended the wait: 5, failed: 0"])
    }

    /// Its threads come and go, it forks, and becomes another program.
    @Test func aProgramThatIsNeverStillGoesOn() throws {
      let looked = try LookedAtProgram(Self.program, ["never-still"])
      for _ in TestSet.times(10, quick: 4) {
        let run = try looked.look()
        #expect(run.end == .exited(0) && run.standardOutput.contains("Thread \(looked.pid) "), "\(run.standardError)")
      }
      #expect(looked.running.finish().output == ["went on"])
    }

    @Test func manyThreadsAreSeen() throws {
      let looked = try LookedAtProgram(Self.program, ["threads", "64"])
      let report = try looked.report()
      #expect(report.threads.count == 65 && report.capture.threads == 65 && report.capture.unanswered == nil)
      #expect(report.capture.stopTime > 0)
      let waiting = report.threads.dropFirst()
      #expect(waiting.allSatisfy { $0.waitingFor?.type == "mutex" && $0.waitingFor?.owner == Int(looked.pid) })
      #expect(waiting.allSatisfy { $0.frames.count { $0.symbol == "wait_deep" } >= 11 })
      #expect(looked.running.finish().output == ["goes on"])
    }

    /// A single mapping is larger than any binary's; of many, as many are looked at as there is time for.
    @Test(arguments: ["1", "1024"]) func aLargeFileDoesNotHoldTheProgram(_ mappings: String) throws {
      let looked = try LookedAtProgram(Self.program, ["large-file", mappings])
      let report = try looked.report()
      #expect(report.capture.stopTime < 2.5)
      #expect(report.threads[0].frames.contains { $0.symbol == "map_large_file" })
      #expect(looked.running.finish().output == ["goes on"])
    }

    @Test func aStoppedProgramStaysStopped() throws {
      let looked = try LookedAtProgram(Self.program, ["threads", "3"])
      kill(looked.running.pid, SIGSTOP)
      var status: Int32 = 0
      #expect(waitpid(looked.running.pid, &status, WUNTRACED) == looked.running.pid)
      let report = try looked.report()
      #expect(report.threads.map(\.state) == ["stopped", "stopped", "stopped", "stopped"])
      try wait(for: looked.pid) { $0 == ["T", "T", "T", "T"] }
      // The process that started it has nothing to notice.
      #expect(waitpid(looked.running.pid, &status, WUNTRACED | WCONTINUED | WNOHANG) == 0)
      kill(looked.running.pid, SIGCONT)
      #expect(looked.running.finish().output == ["goes on"])
    }

    /// The kernel lets its threads go on.
    @Test func crashsymMayBeKilledMeanwhile() throws {
      let looked = try LookedAtProgram(Self.program, ["threads", "500"])
      let end = ContinuousClock.now + .seconds(300)
      var killed = 0
      while killed < 5 {
        try #require(ContinuousClock.now < end, "\(killed) looks were killed")
        guard let looking = try heldLook(at: looked, while: looked.running.pid) else { continue }
        looking.kill()
        killed += 1
        try wait(for: looked.pid) { !$0.contains("t") }
      }
      #expect(looked.running.finish().output == ["goes on"])
    }

    /// `crashsym run` stays stopped beside its program, though a look stops that otherwise.
    @Test func aProgramThatIsLookedAtCountsAsStopped() throws {
      let looked = try LookedAtProgram(Self.program, ["threads", "500"])
      let end = ContinuousClock.now + .seconds(300)
      #expect(linux_is_stopped(looked.running.pid) == 0)
      var held: RunningProgram?
      while held == nil {
        try #require(ContinuousClock.now < end)
        held = try heldLook(at: looked, while: looked.running.pid)
      }
      #expect(linux_is_stopped(looked.running.pid) != 0)
      held?.kill()
      #expect(looked.running.finish().output == ["goes on"])
    }

    @Test func aProgramWhoseMainThreadHasEndedIsSeen() throws {
      let looked = try LookedAtProgram(Self.program, ["main-ended"])
      try wait(for: looked.pid) { $0 == ["Z", "S"] }
      let report = try looked.report()
      #expect(report.threads.count == 1 && report.threads[0].frames.contains { $0.symbol == "outlive_main" })
      #expect(looked.running.finish().output == ["goes on"])
    }

    @Test func aThreadInVforkIsLeftAlone() throws {
      let looked = try LookedAtProgram(Self.program, ["vfork"])
      try wait(for: looked.pid) { $0.contains("D") }
      let report = try looked.report()
      #expect(report.threads.map { $0.frames.contains { $0.symbol == "wait_beside" } } == [true])
      #expect(report.capture.threads == 2 && report.capture.unanswered?.map { String($0.id) } == [looked.pid])
      #expect(report.capture.unanswered?[0].reason == "it waits in the kernel and cannot be stopped")
      #expect(looked.running.finish().output == ["goes on"])
    }

    @Test func tasksAreListed() throws {
      let looked = try LookedAtProgram("live_tasks.swift", ["stay"])
      let run = try looked.look("tasks")
      #expect(run.end == .exited(0), "\(run.standardError)")
      #expect(
        run.standardOutput.hasPrefix("\n16 Swift tasks: 1 running, 1 enqueued, 14 suspended\n"), "\(run.standardOutput)"
      )
      #expect(run.standardOutput.contains("3 tasks wait for a continuation in hold()"))
      #expect(looked.running.finish().output == ["goes on"])
    }

    @Test(arguments: [
      ("traced", 77 as Int32, "is traced by process"),
      ("ended", 65, "has ended, but its parent has not read its status"),
    ])
    func aChildThatIsUnfitIsRefused(_ row: (kind: String, status: Int32, reason: String)) throws {
      let looked = try LookedAtProgram(Self.program, [row.kind])
      let run = try looked.look()
      #expect(run.end == .exited(row.status) && run.standardError.hasPrefix("crashsym: \(row.reason)"))
      looked.running.finish()
    }

    @Test(arguments: [[], ["--stop"]]) func theNumberOfAThreadIsRefused(_ options: [String]) throws {
      let looked = try LookedAtProgram(Self.program, ["threads", "1"])
      let process = try #require(pid_t(looked.pid))
      let thread = try #require(threads(of: process).last { $0 != process })
      let run = try ProgramRun.run([Products.crashsym, "capture"] + options + [String(thread)])
      let reason = "is a thread of process \(process)"
      #expect(run.end == .exited(65) && run.standardError == "crashsym: \(reason): process \(thread)\n")
      #expect(looked.running.finish().output == ["goes on"])
    }

    @Test func aProcessThatIsNotThereIsRefused() throws {
      let run = try ProgramRun.run([Products.crashsym, "capture", "--stop", "2147483647"])
      #expect(run.end == .exited(66) && run.standardError == "crashsym: no such process: process 2147483647\n")
    }

    @Test(.enabled(if: FileManager.default.fileExists(atPath: "/proc/2"), "no thread of the kernel is seen here"))
    func aThreadOfTheKernelIsRefused() throws {
      let run = try ProgramRun.run([Products.crashsym, "capture", "--stop", "2"])
      #expect(run.end == .exited(65) && run.standardError == "crashsym: is a thread of the kernel: process 2\n")
    }

    #if arch(x86_64)
      /// Written by hand: two headers, and `pause()` for ever.
      @Test func aProgramOf32BitsIsRefused() throws {
        let folder = try TemporaryFolder()
        let program = folder.url.appending(path: "small").path
        let code: [UInt8] = [0xb8, 29, 0, 0, 0, 0xcd, 0x80, 0xeb, 0xf7]
        let size = 84 + UInt32(code.count)
        let header: [UInt32] = [3 << 16 | 2, 1, 0x804_8054, 52, 0, 0, 32 << 16 | 52, 1, 0]
        let segment: [UInt32] = [1, 0, 0x804_8000, 0x804_8000, size, size, 5, 4096]
        var file = Data([0x7f, 0x45, 0x4c, 0x46, 1, 1, 1] + [UInt8](repeating: 0, count: 9))
        for word in header + segment { withUnsafeBytes(of: word) { file += $0 } }
        try (file + code).write(to: URL(filePath: program))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
        // A kernel need not run such programs.
        guard let running = try? RunningProgram([program], environment: [:]) else { return }
        let run = try ProgramRun.run([Products.crashsym, "capture", "--stop", String(running.pid)])
        let reason = "runs a 32-bit program, or a program for another processor"
        #expect(run.end == .exited(65) && run.standardError == "crashsym: \(reason): process \(running.pid)\n")
        running.kill()
      }
    #endif

    /// A look that has stopped a thread, and goes no further. Nil if it was over before it could be held.
    private func heldLook(at looked: LookedAtProgram, while thread: pid_t) throws -> RunningProgram? {
      let looking = try RunningProgram([Products.crashsym, "capture", "--stop", looked.pid], environment: [:])
      while state(of: thread, in: looked.running.pid) != "t", state(of: looking.pid, in: looking.pid) != "Z" {}
      var status: Int32 = 0
      kill(looking.pid, SIGSTOP)
      waitpid(looking.pid, &status, WUNTRACED)
      if state(of: thread, in: looked.running.pid) == "t" { return looking }
      kill(looking.pid, SIGCONT)
      looking.finish()
      return nil
    }

    /// Waits until the states of a process's threads are so, the main thread's first.
    private func wait(for process: String, _ areSo: ([Character]) -> Bool) throws {
      let end = ContinuousClock.now + .seconds(60)
      while !areSo(states(of: process)) {
        try #require(ContinuousClock.now < end, "\(states(of: process))")
        sched_yield()
      }
    }

    private func states(of process: String) -> [Character] {
      pid_t(process).map { process in threads(of: process).compactMap { state(of: $0, in: process) } } ?? []
    }

    /// The main thread is the first one.
    private func threads(of process: pid_t) -> [pid_t] {
      let names = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/task")) ?? []
      return names.compactMap { pid_t($0) }.sorted()
    }

    /// The letter of `/proc/PID/task/*/stat`.
    private func state(of thread: pid_t, in process: pid_t) -> Character? {
      let text = try? String(contentsOfFile: "/proc/\(process)/task/\(thread)/stat", encoding: .utf8)
      return text?.split(separator: ")").last?.dropFirst().first
    }
  }
}
