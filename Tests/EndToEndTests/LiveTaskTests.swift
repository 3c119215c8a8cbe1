import Foundation
import Testing

extension EndToEnd {
  /// All tasks of a program that dies, most of which no thread runs.
  @Suite struct LiveTaskTests {
    /// The program stays until its report has been symbolicated.
    private struct Death {
      let folder: TemporaryFolder
      let victim: Victim

      init(_ arguments: [String] = [], build: String, options: String? = nil) throws {
        folder = try TemporaryFolder()
        let flags = build.split(separator: " ").map(String.init)
        let program = try Compiler.compile("live_tasks.swift", into: folder, options: flags)
        victim = try Victim(
          [Products.crashsym, "run", "--", program] + arguments, environment: ["CRASHKIT_OPTIONS": options])
      }
    }

    /// The last one holds the Swift runtime inside, and exports nothing of it.
    private static let builds = TestSet.all(["-Onone", "-O", "-O -static-stdlib"], quick: ["-O"])

    /// As much of the cancelled task's name as fits into 128 bytes with the ellipsis, by whole characters.
    private static let cutName = "cancelled " + String(repeating: "é", count: 57) + "…"

    @Test(arguments: builds) func eachKindOfWaitIsNamed(_ build: String) throws {
      let death = try Death(build: build)
      let report = try death.victim.symbolicatedReport()
      let tasks = try #require(report.tasks)
      func task(_ name: String) throws -> ProducedReport.LiveTask {
        try #require(tasks.first { $0.name == name }, "\(name) of \(tasks.map(\.name))")
      }
      let names = Set(tasks.compactMap(\.name))
      #expect(
        names == [
          "profile 1", "profile 2", "profile 3", "checked", "task", "awaited", "group", "first part", "second part",
          "async let", "sleep", "stream", Self.cutName, "actor", "running",
        ])
      // The child of `async let` has no name; no task that ended is here.
      #expect(tasks.count == names.count + 1)
      #expect(report.omittedTasks == 0)

      #expect(try task("checked").awaits?.kind == "continuation")
      #expect(try task(Self.cutName).isCancelled == true)
      #expect(try task("task").awaits?.id == task("awaited").id)
      #expect(try task("task").awaits?.kind == "task")
      #expect(try task("group").awaits?.kind == "group")
      #expect(try task("first part").parent == task("group").id)
      #expect(try task("second part").parent == task("group").id)
      let part = try #require(tasks.first { $0.name == nil })
      #expect(try part.parent == task("async let").id)
      #expect(try task("async let").awaits?.kind == "asyncLet")
      #expect(try task("async let").awaits?.id == part.id)
      #expect(try task("sleep").awaits?.kind == "sleep")
      #expect(try task("stream").awaits?.kind == "stream")
      #expect(try task("actor").awaits?.kind == "actor")
      #expect(try task("actor").state == "enqueued")
      #expect(try task("running").state == "running")
      let thread = try task("running").thread
      // A thread's own word on its task is for a runtime that exports its functions.
      let isStatic = build.contains("static")
      #expect(isStatic == !report.threads.contains { $0.id == thread && $0.task?.name == "running" })
    }

    @Test(arguments: builds) func theChainLeadsToTheProgramsOwnLines(_ build: String) throws {
      let death = try Death(build: build)
      let tasks = try #require(try death.victim.symbolicatedReport().tasks)
      let waits = [
        "profile 1": "fetchProfile()", "task": "awaitTask()", "async let": "awaitAsyncLet()", "sleep": "sleepLong()",
        "stream": "readStream(_:)", "actor": "askLedger(_:)", "awaited": "hold()", "group": "awaitGroup()",
      ]
      for (name, function) in waits {
        let frames = try #require(tasks.first { $0.name == name }?.frames, "\(name)")
        #expect(frames.allSatisfy { $0.kind == "asyncResumePoint" })
        let own = frames.filter { $0.sourceLocation?.file.hasSuffix("live_tasks.swift") == true }
        #expect(own.contains { $0.description?.contains(function) == true }, "\(name): \(own.map(\.description))")
      }
      // Equal chains are written once.
      let profiles = tasks.filter { $0.name?.hasPrefix("profile") == true }
      #expect(profiles.map(\.alike) == [3, nil, nil])
      #expect(profiles.map(\.framesOf) == [nil, profiles[0].id, profiles[0].id])
    }

    @Test func tasksThatWaitForEachOtherAreADeadlock() throws {
      let death = try Death(["circle"], build: "-O")
      let tasks = try #require(try death.victim.report().tasks)
      func id(_ name: String) throws -> Int { try #require(tasks.first { $0.name == name }).id }
      let (parent, child) = (try id("parent"), try id("child"))
      let shown = try ProgramRun.run([Products.crashsym, try death.victim.reportPath()]).standardOutput
      let lines = shown.split(separator: "\n")
      let heading = try #require(lines.firstIndex(of: "Deadlock: 2 Swift tasks wait for each other"), "\(shown)")
      #expect(lines[heading + 1] == "   task \(parent) \"parent\" waits for a task group, so for task \(child)")
      #expect(lines[heading + 2].hasPrefix("      in closure #1") && lines[heading + 2].contains("live_tasks.swift:"))
      #expect(lines[heading + 3] == "   task \(child) \"child\" waits for task \(parent)")
    }

    /// The kernel's core file of a death has the tasks that the report of the same death has.
    @Test(
      .enabled(if: KernelCore.isKept, "the kernel puts core files elsewhere"), arguments: ["-O", "-O -static-stdlib"])
    func aCoreHasTheSameTasks(_ build: String) throws {
      let folder = try TemporaryFolder()
      let flags = build.split(separator: " ").map(String.init)
      let program = try Compiler.compile("live_tasks.swift", into: folder, options: flags)
      let victim = try Victim(KernelCore.launch(in: folder) + [Products.crashsym, "run", "--", program])
      struct Core: Decodable { var tasks: [ProducedReport.LiveTask]? }
      let found = try #require(try KernelCore.report(in: folder, as: Core.self).tasks)
      let reported = try #require(try victim.symbolicatedReport().tasks)
      #expect(found.count == 16)
      #expect(found.map(described) == reported.map(described))
    }

    private func described(_ task: ProducedReport.LiveTask) -> String {
      let frames = task.frames?.map { "\($0.description ?? "?"):\($0.sourceLocation?.line ?? 0)" }
      return "\(task.id) \(task.name ?? "") \(task.parent ?? 0) \(task.state) \(task.isCancelled == true) "
        + "\(task.awaits?.kind ?? "") \(task.awaits?.id ?? 0) \(task.alike ?? 0) \(task.framesOf ?? 0) \(frames ?? [])"
    }

    @Test func manyTasksAreCounted() throws {
      let death = try Death(["5000"], build: "-O")
      let report = try death.victim.report()
      let tasks = try #require(report.tasks)
      #expect(tasks.count == 2048 && report.omittedTasks == 2952)
      #expect(tasks.first?.alike == 5000)
      #expect(tasks.map(\.id) == tasks.map(\.id).sorted())
      let shown = try ProgramRun.run([Products.crashsym, try death.victim.reportPath()])
      #expect(shown.standardOutput.contains("\n5000 Swift tasks, of which 2048 are listed: 2048 suspended\n"))
      #expect(shown.standardOutput.contains("\n5000 tasks wait for a continuation in hold(), "))
    }

    @Test func aProgramWithAStrippedRuntimeIsNamed() throws {
      let death = try Death(build: "-O -static-stdlib -Xlinker -s")
      let report = try death.victim.report()
      #expect(report.tasks == nil)
      #expect(report.capture?.tasks?.none == "no Swift concurrency runtime that can be seen")
    }

    @Test func noTaskIsSearchedIfTheOptionIsOff() throws {
      let death = try Death(build: "-O", options: "tasks=no")
      let report = try death.victim.report()
      #expect(report.tasks == nil)
      #expect(report.capture?.tasks?.none == "tasks=no")
    }
  }
}
