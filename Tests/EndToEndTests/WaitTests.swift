import Foundation
import Testing

extension EndToEnd {
  /// What threads wait for, and who has it, without ThreadGuard.
  @Suite struct WaitTests {
    /// Type, mode and owner, by the name of the thread that waits: `m` for the main thread.
    private static let expected: [String: String] = [
      "plain": "mutex exclusive m", "recursive": "mutex exclusive m", "inherits": "mutex exclusive m",
      "timed-write": "rwlock exclusive m", "write": "rwlock exclusive m", "read": "rwlock shared m",
      "readers": "rwlock exclusive -", "condition": "condition exclusive -", "timed-cond": "condition exclusive -",
      "timed": "mutex exclusive m", "robust": "mutex exclusive m", "timed-robust": "mutex exclusive m",
      "semaphore": "semaphore exclusive -", "timed-sem": "semaphore exclusive -", "barrier": "barrier exclusive -",
      "join": "thread exclusive plain",
    ]

    private func waits(of threads: [ProducedReport.Thread], main: Int) -> [String: String] {
      var waits: [String: String] = [:]
      for thread in threads {
        guard let wait = thread.waitingFor, let name = thread.name else { continue }
        let owner = wait.owner.map { id in id == main ? "m" : threads.first { $0.id == id }?.name ?? "?" }
        waits[name] = "\(wait.type) \(wait.mode) \(owner ?? "-")"
      }
      return waits
    }

    @Test func aCrashShowsWhatEachThreadWaitsFor() throws {
      let (report, text) = try WaitReport.ofDeath("waits.c", "each")
      let main = try #require(report.threads.first { $0.crashed == true }?.id)
      #expect(waits(of: report.threads, main: main) == Self.expected)
      #expect(report.deadlock == nil)
      #expect(text.contains(/waits for the mutex "plain" at 0x[0-9a-f]+, held by thread [0-9]+ "waits"\n/))
      #expect(text.contains(/waits for the end of thread [0-9]+ "plain"\n/))
    }

    @Test func aRunningProgramShowsThemToo() throws {
      let asked = try AskedProgram("waits.c", ["each", "stay"])
      let captured = try WaitReport.ofCapture(asked.pid)
      #expect(waits(of: captured.threads, main: try #require(Int(asked.pid))) == Self.expected)
      _ = asked.running.finish()
    }

    @Test func aProgramWithoutCrashKitShowsThemToo() throws {
      let looked = try LookedAtProgram("waits.c", ["each", "stay"])
      // A stop changes how the kernel waits, if the wait has a time limit.
      for _ in 1...3 {
        let found = waits(of: try looked.report().threads, main: try #require(Int(looked.pid)))
        #expect(found == Self.expected, "\(found)")
      }
      looked.running.finish()
    }

    /// Locks of two kinds; and two of Swift's, of which the kernel refuses the second wait.
    @Test(arguments: ["lock", "mutexes"], TestSet.all(["-Onone", "-O"], quick: ["-O"]))
    func aCircleWithSwiftsMutexIsADeadlock(_ kind: String, _ build: String) throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("mixed_deadlock.swift", into: folder, options: [build])
      let victim = try Victim([Products.crashsym, "run", "--", program, kind])
      let report = try victim.symbolicatedReport()
      let steps = try #require(report.deadlock?.steps)
      #expect(steps.count == 2 && steps[0].owner == steps[1].thread && steps[1].owner == steps[0].thread)
      #expect((report.threads.first?.id == steps[0].thread) == (kind == "mutexes"))
    }

    @Test(.enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere"), arguments: ["each", "circle"])
    func aCoreShowsTheSame(_ kind: String) throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("waits.c", into: folder)
      _ = try ProgramRun.run(KernelCore.launch(in: folder) + [program, kind])
      let found = try KernelCore.report(in: folder, as: WaitReport.self)
      #expect(found.deadlock?.steps.count == (kind == "each" ? nil : 3))
      // The kernel writes no names of threads into a core.
      let main = try #require(found.threads.first { $0.crashed == true }?.id)
      let waits = found.threads.compactMap(\.waitingFor).map { wait in
        "\(wait.type) \(wait.mode) \(wait.owner.map { $0 == main ? "m" : "other" } ?? "-")"
      }
      let expected = Self.expected.values.map { $0.replacing("plain", with: "other") }
      #expect(kind != "each" || waits.sorted() == expected.sorted())
    }

    @Test(.enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere"))
    func aCoreShowsEachCircle() throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("waits.c", into: folder)
      _ = try ProgramRun.run(KernelCore.launch(in: folder) + [program, "circles"])
      let deadlock = try #require(try KernelCore.report(in: folder, as: WaitReport.self).deadlock)
      #expect(circles(deadlock) == [1, 3])
    }

    /// The number of threads of each circle, the shortest first.
    private func circles(_ deadlock: ProducedReport.Deadlock) -> [Int] {
      ([deadlock] + (deadlock.others ?? [])).map(\.steps.count).sorted()
    }

    @Test func eachCircleIsADeadlock() throws {
      let (report, text) = try WaitReport.ofDeath("waits.c", "circles")
      #expect(circles(try #require(report.deadlock)) == [1, 3])
      let words = [
        "\nDeadlock: a thread waits for itself\n", "\nDeadlock: 3 threads wait for each other\n",
        " waits for the mutex \"plain\" at ", " waits for the mutex \"circle\" at ",
      ]
      for words in words { #expect(text.contains(words)) }
    }

    @Test(arguments: [("circle", 3), ("self", 1)]) func aCircleIsADeadlock(_ row: (kind: String, count: Int)) throws {
      let (report, text) = try WaitReport.ofDeath("waits.c", row.kind)
      let steps = try #require(report.deadlock?.steps)
      #expect(steps.count == row.count)
      for (step, next) in zip(steps, steps.dropFirst() + steps.prefix(1)) { #expect(step.owner == next.thread) }
      let words = row.count == 1 ? "a thread waits for itself" : "3 threads wait for each other"
      #expect(text.contains("\nDeadlock: \(words)\n"))
    }
  }
}
