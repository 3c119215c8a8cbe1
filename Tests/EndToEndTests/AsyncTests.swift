import Foundation
import Testing

extension EndToEnd {
  /// Deaths in Swift tasks: the chain of callers that wait, and which task ran on which thread.
  @Suite struct AsyncTests {
    /// A function with the text of the line that it stands at; no text where optimised code may have no line.
    struct Call: Sendable {
      var function: String
      var text: String?
      init(_ function: String, _ text: String?) {
        self.function = function
        self.text = text
      }
    }

    struct Death: Sendable, CustomTestStringConvertible {
      var kind: String
      var task: String
      var parent: String?
      /// The program's own functions, innermost first.
      var calls: [Call]
      var testDescription: String { kind }
    }

    static let deaths: [Death] = [
      Death(
        kind: "async-deep", task: "fetch profile",
        calls: [
          Call("decode(_:)", "return text!"), Call("download(_:)", "await decode(user"),
          Call("profile(of:)", "await download("), Call("fetch(_:)", "await profile("), Call("closure #1 in", nil),
        ]),
      Death(
        kind: "async-actor", task: "look up",
        calls: [
          Call("Store.at(_:)", "return entries[index]"), Call("Store.entry(_:)", "at(index)"),
          Call("closure #2 in", nil),
        ]),
      Death(
        kind: "async-task-group", task: "part 2", parent: "gather",
        calls: [
          Call("decode(_:)", "return text!"), Call("piece(_:)", "return await decode("),
          Call("closure #1 in closure #1 in static AsyncCrashes.gather()", "await piece(part)"),
        ]),
      Death(
        kind: "async-detached", task: "background save",
        calls: [
          Call("decode(_:)", "return text!"), Call("save()", "await decode(nil)"),
          Call("closure #1 in static AsyncCrashes.detach()", nil),
        ]),
      Death(
        kind: "main-actor-isolation", task: "redraw",
        calls: [
          Call("redraw()", "MainActor.assumeIsolated"), Call("assumeMainActor()", "redraw()"),
          Call("closure #5 in", nil),
        ]),
      Death(
        kind: "continuation-twice", task: "wait for answer",
        calls: [
          Call("closure #1 in static AsyncCrashes.resumeTwice()", "continuation.resume()"),
          Call("resumeTwice()", "await withCheckedContinuation { continuation in"), Call("closure #6 in", nil),
        ]),
    ]

    @Test(arguments: deaths) func theTaskIsNamed(_ death: Death) throws {
      let victim = try Victim([Products.diagdemo, "crash", death.kind])
      let report = try victim.report()
      #expect(victim.run.end == .killed(signal: SIGILL))
      let crashed = try #require(report.threads.first)
      let task = try #require(crashed.task)
      // What the runtime itself said to the program before it died.
      #expect(report.attributes?["task"] == "\(task.id)")
      #expect(task.id > 0)
      #expect(task.name == death.task)
      #expect(task.parent?.name == death.parent)
      if let parent = task.parent { #expect(parent.id > 0 && parent.id != task.id) }
    }

    /// A thread beside the crashed one tells its own task, and one that runs none tells none.
    @Test(arguments: deaths) func otherThreadsHaveTheirTask(_ death: Death) throws {
      let report = try Victim([Products.diagdemo, "crash", death.kind]).report()
      let bystander = try #require(report.threads.dropFirst().first { $0.task?.name == "bystander" })
      #expect(report.attributes?["bystander"] == bystander.task.map { "\($0.id)" })
      #expect(bystander.frames.contains { $0.kind == "asyncResumePoint" })
      let main = try #require(report.threads.first { $0.name == "diagdemo" })
      #expect(main.task == nil)
      let ids = report.threads.compactMap(\.task?.id)
      #expect(Set(ids).count == ids.count)
    }

    @Test(arguments: deaths) func waitingCallersAreFrames(_ death: Death) throws {
      let report = try Victim([Products.diagdemo, "crash", death.kind]).symbolicatedReport()
      let frames = try #require(report.threads.first?.frames)
      let file = Products.root.appending(path: "Sources/diagdemo/AsyncCrashes.swift")
      let source = try String(contentsOf: file, encoding: .utf8)
        .split(separator: "\n", omittingEmptySubsequences: false)
      let own = frames.filter { $0.image == "diagdemo" && $0.system != true }
      let said = Comment(rawValue: own.map { $0.description ?? "?" }.joined(separator: "\n"))
      try #require(own.count == death.calls.count, said)
      for (frame, call) in zip(own, death.calls) {
        #expect(frame.description?.contains(call.function) == true, "\(frame.description ?? "?")")
        guard let text = call.text else { continue }
        let location = try #require(frame.sourceLocation, "\(frame.description ?? "?")")
        #expect(location.file.hasSuffix("/AsyncCrashes.swift"))
        try #require(source.indices.contains(location.line - 1))
        #expect(source[location.line - 1].contains(text), "line \(location.line) in \(call.function)")
      }
      // Of the task's own functions all but those that were running wait.
      let waiting = own.drop { $0.kind != "asyncResumePoint" }
      #expect(!waiting.isEmpty)
      #expect(waiting.allSatisfy { $0.kind == "asyncResumePoint" })
      let addresses = frames.filter { $0.kind == "asyncResumePoint" && $0.inlined != true }.map(\.address)
      #expect(Set(addresses).count == addresses.count)
    }

    /// A task without a name has its number all the same, and the text names both.
    @Test func theTextNamesTheTask() throws {
      let plain = try Victim([Products.diagdemo, "crash", "async-crash"])
      let task = try #require(try plain.report().threads.first?.task)
      #expect(task.id > 0)
      #expect(task.name == nil)

      let path = try Victim([Products.diagdemo, "crash", "async-task-group"])
      let run = try ProgramRun.run([Products.crashsym, try path.reportPath()])
      let text = run.standardOutput
      #expect(text.contains(/crashed in task \d+ "part 2" of task \d+ "gather", of \d+ threads/))
      #expect(text.contains(/, sleeping, in task \d+ "bystander"/))
    }

    /// Where only a log is left, the waiting callers have their names too.
    @Test func theSummaryHasTheTaskAndItsCallers() throws {
      let victim = try Victim([Products.diagdemo, "crash", "async-deep"])
      let task = try #require(try victim.report().threads.first?.task)
      let run = try ProgramRun.run([Products.crashsym, "-"], input: victim.run.standardError)
      #expect(run.end == .exited(0))
      #expect(run.standardOutput.contains("crashed in task \(task.id) \"fetch profile\""))
      for function in ["decode(_:)", "download(_:)", "profile(of:)", "fetch(_:)"] {
        #expect(run.standardOutput.contains("AsyncCrashes.\(function)"), "\(run.standardOutput)")
      }
    }

    /// Programs that link nothing of CrashKit, built without frame pointers where the compiler leaves them out.
    @Test(arguments: ["-Onone", "-O"]) func preloadedProgramsReportTheirTasks(_ option: String) throws {
      let folder = try TemporaryFolder()
      let program = try Compiler.compile("tasks.swift", into: folder, options: [option])
      let victim = try Victim([Products.crashsym, "run", "--", program])
      let task = try #require(try victim.report().threads.first?.task)
      #expect(task.name == "unwatched")
      #expect(victim.run.standardOutput.hasPrefix("UnownedJob(id: \(task.id))\n"))

      let frames = try #require(try victim.symbolicatedReport().threads.first?.frames)
      let own = frames.filter { $0.image == "tasks" && $0.system != true }
      let crashed = try #require(own.first)
      #expect(crashed.description?.contains("price(of:in:)") == true)
      #expect(crashed.sourceLocation?.line == (try Compiler.crashLine(of: "tasks.swift")))
      let caller = try #require(own.dropFirst().first)
      #expect(caller.kind == "asyncResumePoint")
      #expect(caller.description?.contains("total(of:)") == true)
      // Five lines below the crash.
      #expect(caller.sourceLocation?.line == crashed.sourceLocation.map { $0.line + 5 })
    }
  }
}
