import Foundation
import Testing

extension EndToEnd {
  /// What threads wait for in libdispatch and in Swift's runtime, and who has it, without ThreadGuard.
  @Suite struct DispatchWaitTests {
    /// Type, owner, and a queue's label, by the name of the thread that waits: `m` for the main thread.
    private static let expected: [String: String] = [
      "sync": "queue on-cache app.cache", "behind": "queue on-cache app.cache",
      "reads": "queue on-readers app.readers", "paused": "queue - app.paused",
      "main-queue": "queue m com.apple.main-thread",
      "group": "group -", "timed-group": "group -", "item": "workItem -", "semaphore": "semaphore -",
      "timed-sem": "semaphore -", "on-cache": "semaphore -", "on-readers": "semaphore -", "first": "semaphore -",
      "once": "once first",
    ]

    /// With libdispatch and the runtime linked in. There the program exports no functions of theirs, by whose names these
    /// two are known.
    private static let expectedLinkedIn = expected.merging(["item": "group -", "once": "mutex first"]) { $1 }
    private static let linkedIn = ["-static-stdlib"]

    private func words(_ wait: ProducedReport.Wait, _ owner: (Int) -> String) -> String {
      "\(wait.type) \(wait.owner.map(owner) ?? "-")"
        + (wait.type == "queue" ? " \(wait.name ?? "no label")" : "")
    }

    /// Those of the program's threads: idle ones of libdispatch wait as well.
    private func waits(of threads: [ProducedReport.Thread], main: Int) -> [String: String] {
      var waits: [String: String] = [:]
      for thread in threads {
        guard let wait = thread.waitingFor, let name = thread.name, Self.expected[name] != nil else { continue }
        waits[name] = words(wait) { id in id == main ? "m" : threads.first { $0.id == id }?.name ?? "?" }
      }
      return waits
    }

    private func expectCircle(_ steps: [ProducedReport.Deadlock.Step]?) throws {
      let steps = try #require(steps)
      for (step, next) in zip(steps, steps.dropFirst() + steps.prefix(1)) { #expect(step.owner == next.thread) }
      #expect(steps.map(\.type).sorted() == ["mutex", "mutex", "queue"])
      #expect(steps.first { $0.type == "queue" }?.name == "app.cache")
    }

    @Test func aCrashShowsWhatEachThreadWaitsFor() throws {
      let (report, text) = try WaitReport.ofDeath("dispatch_waits.swift", "each")
      let main = try #require(report.threads.first { $0.crashed == true }?.id)
      #expect(waits(of: report.threads, main: main) == Self.expected)
      #expect(report.deadlock == nil)
      #expect(text.contains(/waits for the queue "app.cache" at 0x[0-9a-f]+, run by thread [0-9]+ "on-cache"\n/))
      #expect(text.contains(/waits for the initialisation of "loaded" at 0x[0-9a-f]+, run by thread [0-9]+ "first"\n/))
    }

    @Test func aRunningProgramShowsThemToo() throws {
      let asked = try AskedProgram("dispatch_waits.swift", ["each", "stay"])
      let captured = try WaitReport.ofCapture(asked.pid)
      #expect(waits(of: captured.threads, main: try #require(Int(asked.pid))) == Self.expected)
      _ = asked.running.finish()
    }

    @Test(.enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere"))
    func aCoreShowsTheSame() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("dispatch_waits.swift", into: folder)
      _ = try ProgramRun.run(KernelCore.launch(in: folder) + [program, "each"])
      let found = try KernelCore.report(in: folder, as: WaitReport.self)
      let main = try #require(found.threads.first { $0.crashed == true }?.id)
      // The kernel writes no names of threads into a core; idle threads of libdispatch wait for semaphores.
      let waits = found.threads.compactMap(\.waitingFor).map { words($0) { $0 == main ? "m" : "other" } }
      let expected = Self.expected.values.map { words in
        ["on-cache", "on-readers", "first"].reduce(words) { $0.replacing(" \($1)", with: " other") }
      }
      #expect(waits.filter { $0 != "semaphore -" }.sorted() == expected.filter { $0 != "semaphore -" }.sorted())
      #expect(waits.count { $0 == "semaphore -" } >= expected.count { $0 == "semaphore -" })
    }

    @Test func aProgramWithLibdispatchLinkedInShowsThemToo() throws {
      let (report, _) = try WaitReport.ofDeath("dispatch_waits.swift", "each", options: Self.linkedIn)
      let main = try #require(report.threads.first { $0.crashed == true }?.id)
      #expect(waits(of: report.threads, main: main) == Self.expectedLinkedIn)
    }

    @Test(arguments: [[], linkedIn]) func aCrashShowsACircleOfALockAMutexAndAQueue(_ options: [String]) throws {
      let (report, text) = try WaitReport.ofDeath("dispatch_waits.swift", "circle", options: options)
      try expectCircle(report.deadlock?.steps)
      #expect(text.contains("\nDeadlock: 3 threads wait for each other\n"))
      #expect(text.contains(/waits for the queue "app.cache" at 0x[0-9a-f]+, run by thread [0-9]+ "on-cache"\n/))
      #expect(text.contains(/waits for the mutex "state" at 0x[0-9a-f]+, held by thread [0-9]+ "has-mutex"\n/))
    }

    @Test func aProgramWithoutCrashKitShowsThemToo() throws {
      let looked = try LookedAtProgram("dispatch_waits.swift", ["each", "stay"])
      let report = try looked.report()
      #expect(waits(of: report.threads, main: try #require(Int(looked.pid))) == Self.expected)
      looked.running.finish()
    }

    @Test func aProgramWithoutCrashKitShowsTheCircle() throws {
      let looked = try LookedAtProgram("dispatch_waits.swift", ["circle", "stay"])
      try expectCircle(try looked.report().deadlock?.steps)
      looked.running.finish()
    }

    @Test func aCaptureShowsTheCircle() throws {
      let asked = try AskedProgram("dispatch_waits.swift", ["circle", "stay"])
      try expectCircle(try WaitReport.ofCapture(asked.pid).deadlock?.steps)
      _ = asked.running.finish()
    }

    @Test(.enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere"))
    func aCoreOfTheKernelShowsTheCircle() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("dispatch_waits.swift", into: folder)
      _ = try ProgramRun.run(KernelCore.launch(in: folder) + [program, "circle"])
      try expectCircle(try KernelCore.report(in: folder, as: WaitReport.self).deadlock?.steps)
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/gcore"), "there is no gcore"))
    func aCoreOfGdbShowsTheCircle() throws {
      let asked = try AskedProgram("dispatch_waits.swift", ["circle", "stay"])
      let core = asked.folder.url.appending(path: "gdb").path
      let run = try ProgramRun.run(["/usr/bin/gcore", "-o", core, asked.pid])
      try #require(run.end == .exited(0), "\(run.standardError)")
      let read = try ProgramRun.run([Products.crashsym, "--format", "json", "\(core).\(asked.pid)"])
      try #require(read.end == .exited(0), "\(read.standardError)")
      try expectCircle(try JSONDecoder().decode(WaitReport.self, from: Data(read.standardOutput.utf8)).deadlock?.steps)
      _ = asked.running.finish()
    }
  }
}
